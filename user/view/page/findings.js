/* SPDX-License-Identifier: BSD-2-Clause */
/* What somebody who is out of memory should know first. */

function showFindings(show) {
	const list = byId("findings");
	for (const finding of HEAP.findings)
		list.append(findingItem(finding, show));
	if (!HEAP.findings.length)
		list.replaceWith(note("Nothing stands out: no object, thread or finalizer keeps as"
			+ " much as a 20th of the heap alive."));
}

function findingItem(finding, show) {
	const hasObject = finding.object !== undefined;
	const item = element("li", null,
		element("p", { class: "sentence" }, sentence(finding.text)),
		element("div", { class: "meter" }, shareBar(finding.bytes, HEAP.facts.bytes),
			element("b", null, formatShare(finding.bytes, HEAP.facts.bytes))),
		element("p", { class: "next" },
			hasObject ? button("Show it", () => show.object(finding.object)) : null,
			element("code", null, finding.command)));
	return item;
}

function sentence(text) {
	return text.charAt(0).toUpperCase() + text.slice(1) + ".";
}
