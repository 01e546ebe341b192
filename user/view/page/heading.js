/* SPDX-License-Identifier: BSD-2-Clause */
/* What dump this is, what it amounts to, what is missing, and what the page leaves out. */

function showHeading() {
	const runtime = [HEAP.runtime || "a runtime that has not said its name", HEAP.version];
	const who = HEAP.name || (HEAP.pid ? "process " + HEAP.pid : HEAP.runtime || "a heap dump");
	byId("title").textContent = who;
	document.title = who + " – gctrace heap";
	byId("lead").append(...joined([
		runtime.filter(Boolean).join(" "), HEAP.collector, HEAP.pid && "pid " + HEAP.pid,
		HEAP.dump !== undefined && "heap dump " + HEAP.dump,
		HEAP.is_file && HEAP.subject,
		HEAP.gc !== undefined && "after collection " + formatExact(HEAP.gc),
		HEAP.began_ms !== undefined && timeOf(HEAP.began_ms),
	].filter(Boolean)));
	showWhole();
	showTiles();
	showFoot();
}

function joined(parts) {
	return parts.map(part => element("span", null, part));
}

function timeOf(ms) {
	const date = new Date(ms);
	return element("time", { datetime: date.toISOString() },
		date.toLocaleString("sv", { timeZoneName: "short" }));
}

function showWhole() {
	const whole = byId("whole");
	whole.classList.add(HEAP.complete ? "good" : "bad");
	whole.append(element("strong", null, HEAP.complete ? "Complete" : "Not whole"),
		HEAP.complete ? "nothing is missing" : "all figures are of what came");
	showLines("notice", HEAP.complete ? "What is odd" : "What is missing",
		HEAP.missing.concat(HEAP.odd));
	showLines("note", "Nothing is lost by this", HEAP.notes);
}

function showLines(kind, title, lines) {
	if (lines.length)
		byId("missing").append(element("section", { class: kind, "aria-label": title },
			element("h2", null, title),
			element("ul", null, ...lines.map(line => element("li", null, line)))));
}

function tile(figure, label, more) {
	return element("li", null, element("b", null, figure), element("span", null, label),
		more ? element("small", null, more) : null);
}

function showTiles() {
	const facts = HEAP.facts;
	const unreached = facts.bytes - facts.reached_bytes;
	byId("tiles").append(
		tile(formatBytes(facts.bytes), "on the heap", formatExact(facts.bytes) + " B"),
		tile(formatCount(facts.objects), "objects", formatExact(facts.objects)),
		tile(formatCount(facts.references), "references",
			formatCount(facts.weak_references) + " weak ones besides"),
		tile(formatCount(facts.roots), "roots",
			formatCount(facts.weak_roots) + " of them weak"),
		tile(formatBytes(facts.reached_bytes), "reached by roots",
			formatShare(facts.reached_bytes, facts.bytes)),
		tile(formatBytes(unreached),
			nameOfUnreached(),
			formatCount(facts.objects - facts.reached_objects) + " objects"
			+ (facts.reached_only ? "; other garbage is not walked" : "")));
	if (HEAP.took_ns)
		byId("tiles").append(tile(formatNs(HEAP.took_ns), "to tell the dump",
			"the process stood still"));
}

function showFoot() {
	byId("foot").append(
		element("p", null, HEAP.accuracy[0].toUpperCase() + HEAP.accuracy.slice(1)
			+ ". This page fetches nothing and sends nothing."),
		element("p", null, `Made by gctrace ${HEAP.gctrace} on `, timeOf(HEAP.made_ms)));
}

function wordsOfFolded(folded) {
	const singles = HEAP.least > 0
		? `The ${formatExact(HEAP.singles - 1)} objects that keep at least`
			+ ` ${formatBytes(HEAP.least)} alive have blocks of their own; smaller ones of`
			+ " one type at one place share a block (×\u00a0how\u00a0many)."
		: "Every object that roots reach has a block of its own.";
	if (!folded.branches)
		return singles + " Nothing else is folded.";
	return singles + " Folded into hatched blocks: groups that keep less than"
		+ ` ${formatBytes(HEAP.least_group)}, in all`
		+ ` ${plural(folded.branches, "object", "objects")} and what they keep alive,`
		+ ` ${formatBytes(folded.bytes)}.`;
}

function sumOfFolded() {
	const sum = { branches: 0, bytes: 0 };
	for (const [, , , branches, bytes] of HEAP.branches) {
		sum.branches += branches;
		sum.bytes += bytes;
	}
	return sum;
}

function wordsOfFoldedTypes({ types, objects, bytes }) {
	if (!types)
		return "";
	return `Not in the table: ${plural(types, "type", "types")} that keep less alive than`
		+ ` the others, together ${formatCount(objects)} objects, ${formatBytes(bytes)}.`;
}

function wordsOfFoldedRoots() {
	if (!HEAP.roots.some(([, , , , , folded]) => folded > 0))
		return "";
	return `Of each, the ${formatExact(HEAP.roots_most)} that alone keep the most alive; the`
		+ " others, and those that alone keep nothing, are folded and counted.";
}

/* What is not there by itself, and from which size on. */
function showFolded() {
	byId("tree-folded").textContent = wordsOfFolded(sumOfFolded());
	byId("types-folded").textContent = wordsOfFoldedTypes(HEAP.types_folded);
	byId("roots-folded").textContent = wordsOfFoldedRoots();
}
