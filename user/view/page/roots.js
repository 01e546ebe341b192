/* SPDX-License-Identifier: BSD-2-Clause */
/* The roots as a tree that opens: kinds, then threads with their frames, statics, handles. */

/* Rows stand in preorder with their depth; for each, the rows right below it. */
function rootsBelow() {
	const top = [], open = [];
	HEAP.roots.forEach((row, index) => {
		const entry = { row, below: [] };
		const depth = row[0];
		(depth ? open[depth - 1].below : top).push(entry);
		open[depth] = entry;
	});
	return top;
}

function showRoots(show) {
	const top = rootsBelow();
	if (!top.length) {
		byId("roots").append(note("There are none."));
		return;
	}
	byId("roots").append(rootsHead(), rootList(top, show), ...sharedRoots(top));
}

function rootsHead() {
	return element("p", { class: "root head", "aria-hidden": "true" },
		element("span", { class: "what" }, "Root"), element("span", null, "Retained"),
		element("span", null, "Share"), element("span", null, "Objects"));
}

function rootList(entries, show) {
	const items = entries.map(entry => element("li", null, rootEntry(entry, show)));
	return element("ul", null, ...items);
}

/* What is below is made when it is opened first: there may be thousands. */
function rootEntry(entry, show) {
	const line = rootLine(entry.row, show);
	if (!entry.below.length)
		return line;
	const details = element("details", null, element("summary", null, line));
	const open = () => details.append(rootList(entry.below, show));
	details.addEventListener("toggle", open, { once: true });
	return details;
}

function rootLine(row, show) {
	const [, name, bytes, objects, roots, folded, object] = row;
	const words = folded ? `… ${formatExact(folded)} more` : name;
	const what = object === NONE ? words
		: button(words, () => show.object(object), { class: "link" });
	return element("span", { class: folded ? "root folded" : "root" },
		element("span", { class: "what" }, what,
			roots > 1 ? element("small", null, ` ${formatExact(roots)} roots`) : null),
		element("span", null, formatBytes(bytes)),
		element("span", null, formatShare(bytes, HEAP.facts.bytes)),
		element("span", null, formatCount(objects)));
}

function sharedRoots(top) {
	const bytes = HEAP.facts.reached_bytes - top.reduce((sum, { row }) => sum + row[2], 0);
	const objects = HEAP.facts.reached_objects - top.reduce((sum, { row }) => sum + row[3], 0);
	const row = [0, "only several kinds of roots together", bytes, objects, 0, 0, NONE];
	return objects > 0 ? [rootLine(row)] : [];
}
