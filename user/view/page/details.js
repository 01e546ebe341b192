/* SPDX-License-Identifier: BSD-2-Clause */
/* One object: what it is, the way from a root to it, what it keeps alive. */

const STEPS_SHOWN = 14; /* of a way, before its middle is folded; half of them on each side */
const BRANCHES_SHOWN = 8;

/*
 * Of an object, and of the branch that it is, or is the example of; NONE: none. What is clicked on
 * goes to show.object() or show.branch().
 */
function showDetails(object, branch, show) {
	const panel = byId("details");
	if (branch === 0) {
		panel.replaceChildren(...detailsOfAll(show));
		return;
	}
	const of = objectAt(object);
	panel.replaceChildren(
		element("h2", { id: "details-title" }, swatch(nameOf(object)), nameOf(object)),
		...groupOf(branch),
		element("p", { class: "address" }, of.address),
		...examplesOf(object, show),
		factsOf(of),
		element("h3", null, "Path from a root"),
		pathOf(object, show),
		...branchesOf(branch, show),
		...commandOf(of));
}

/* What the whole group is, of which one is shown. */
function groupOf(branch) {
	if (branch === NONE || branchAt(branch).count < 2)
		return [];
	const { count, bytes, objects } = branchAt(branch);
	return [element("p", { class: "group-of" },
		element("b", null, `${formatExact(count)} of them`),
		` at this place keep ${formatBytes(bytes)} alive in`
		+ ` ${plural(objects, "object", "objects")}. The one that keeps the most:`)];
}

function detailsOfAll(show) {
	return [
		element("h2", { id: "details-title" }, "All roots"),
		note("Choose a block, a type or a finding: its path from a root and what it keeps"
			+ " alive are shown here."),
		...branchesOf(0, show),
	];
}

function fact(label, value, exact) {
	return element("div", null, element("dt", null, label),
		element("dd", { title: exact || false }, value));
}

function factsOf(of) {
	return element("dl", null,
		fact("itself", formatBytes(of.bytes), formatExact(of.bytes) + " B"),
		fact("keeps alive", formatBytes(of.retained), formatExact(of.retained) + " B"),
		fact("of the heap", formatShare(of.retained, HEAP.facts.bytes)),
		fact("in objects", formatCount(of.dominated), formatExact(of.dominated)));
}

/* Which of its type it is, and the way to the other. */
function examplesOf(object, show) {
	const type = typeAt(typeOf(object));
	if (type.objects < 2 || (object !== type.biggest && object !== type.nearest))
		return [];
	const count = `One of ${formatExact(type.objects)}: `;
	if (type.biggest === type.nearest)
		return [element("p", { class: "examples" },
			count + "keeps the most, and is the nearest to a root")];
	const choice = (words, which) => button(words, () => show.object(which),
		{ "aria-pressed": String(which === object), class: "choice" });
	return [element("p", { class: "examples" }, count,
		choice("keeps the most", type.biggest), choice("nearest to a root", type.nearest))];
}

/* ---- the way ---- */

function pathOf(object, show) {
	const way = wayTo(object);
	const list = element("ol", { class: "path" });
	const half = STEPS_SHOWN / 2, left = way.length - STEPS_SHOWN;
	if (left < 2) {
		list.append(...way.map(at => stepItem(at, object, show)));
		return list;
	}
	const item = element("li", { class: "left-out" },
		button(`… ${plural(left, "step", "steps")} more`, () => item.replaceWith(
			...way.slice(half, half + left).map(at => stepItem(at, object, show)))));
	list.append(...way.slice(0, half).map(at => stepItem(at, object, show)), item,
		...way.slice(half + left).map(at => stepItem(at, object, show)));
	return list;
}

function stepItem(at, object, show) {
	if (isNode(at))
		return element("li", { class: "root" }, nameOf(at));
	const of = objectAt(at);
	const item = element("li", null);
	if (of.skipped)
		item.append(element("em", null,
			`… ${plural(of.skipped, "object", "objects")} not on this page`));
	if (of.step)
		item.append(element("code", { class: "step" }, of.step), " ");
	item.append(at === object ? element("strong", null, nameOf(at))
		: button(nameOf(at), () => show.object(at), { class: "link" }));
	item.append(element("small", null, formatBytes(of.retained)));
	return item;
}

/* ---- below it ---- */

function branchesOf(branch, show) {
	if (branch === NONE)
		return [];
	const { bytes: whole, foldedCount, foldedBytes } = branchAt(branch);
	const below = CHILDREN[branch];
	const shown = below.slice(0, BRANCHES_SHOWN), rest = below.slice(BRANCHES_SHOWN);
	const count = rest.reduce((sum, at) => sum + (branchAt(at).count || 1), foldedCount);
	const bytes = rest.reduce((sum, at) => sum + bytesOf(at), foldedBytes);
	if (!below.length && !count)
		return [];
	const list = element("ul", { class: "below" },
		...shown.map(at => belowItem(at, whole, show)));
	if (count)
		list.append(element("li", { class: "folded" },
			element("span", null, `… ${formatExact(count)} more`),
			element("b", null, formatBytes(bytes))));
	const them = branch === 0 || branchAt(branch).count > 1;
	return [element("h3", null, `What would go with ${them ? "them" : "it"}`), list];
}

function belowItem(at, whole, show) {
	return element("li", null, button(branchName(at), () => show.branch(at), { class: "link" }),
		element("b", null, formatBytes(bytesOf(at))), shareBar(bytesOf(at), whole));
}

/* Objects move: in a new dump of a live process an address may mean another. */
function commandOf(of) {
	if (!HEAP.is_file)
		return [];
	return [element("h3", null, "All paths to it, in a terminal"),
		element("code", { class: "command" },
			`gctrace path ${HEAP.subject} --address ${of.address}`)];
}
