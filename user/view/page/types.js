/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of types: searched, sorted, shown a hundred rows at a time. */

const ROWS_AT_A_TIME = 100;

const TYPES = {
	all: HEAP.types.map((_, index) => typeAt(index)),
	found: [],
	shown: ROWS_AT_A_TIME,
	key: "retained",
	up: false,
	chosen: NONE,
};

function showTypes(choose) {
	TYPES.choose = choose;
	if (HEAP.followed)
		showAges();
	byId("search").addEventListener("input", searchTypes);
	byId("types-more").addEventListener("click", () => {
		TYPES.shown += ROWS_AT_A_TIME;
		drawTypes();
	});
	for (const head of document.querySelectorAll("#types th"))
		head.firstElementChild.addEventListener("click", () => sortTypes(head.dataset.key));
	searchTypes();
}

/* Known only where collections were followed up to the dump. */
function showAges() {
	for (const head of document.querySelectorAll("#types th[hidden]"))
		head.hidden = false;
	byId("types-ages").hidden = false;
	byId("types-ages").textContent = "Ages are collections survived of the "
		+ formatExact(HEAP.followed) + " that were followed: the median of a type, and its"
		+ " oldest object; ≥ where the birth was not observed."
		+ (HEAP.in_doubt ? " In doubt: right only if no whole collection was lost." : "");
}

function sortTypes(key) {
	TYPES.up = TYPES.key === key ? !TYPES.up : key === "name";
	TYPES.key = key;
	searchTypes();
}

function compareTypes(a, b) {
	const key = TYPES.key === "share" ? "bytes" : TYPES.key;
	const order = a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : 0;
	return (TYPES.up ? order : -order) || a.index - b.index;
}

/* Each word must be in the name, in whatever case. */
function searchTypes() {
	const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
	TYPES.found = TYPES.all
		.filter(type => words.every(word => type.name.toLowerCase().includes(word)))
		.sort(compareTypes);
	TYPES.shown = ROWS_AT_A_TIME;
	drawTypes();
}

function drawTypes() {
	const rows = TYPES.found.slice(0, TYPES.shown);
	document.querySelector("#types tbody").replaceChildren(...rows.map(typeRow));
	for (const head of document.querySelectorAll("#types th")) {
		if (head.dataset.key === TYPES.key)
			head.setAttribute("aria-sort", TYPES.up ? "ascending" : "descending");
		else
			head.removeAttribute("aria-sort");
	}
	const left = TYPES.found.length - rows.length;
	byId("types-more").hidden = left === 0;
	byId("types-more").textContent = `Show ${formatExact(Math.min(left, ROWS_AT_A_TIME))} of`
		+ ` ${formatExact(left)} more`;
	byId("types-count").textContent = typesCount();
}

function typesCount() {
	const found = TYPES.found.length, all = TYPES.all.length;
	if (found === all)
		return plural(all, "type", "types")
			+ ". Choose one to see what keeps its objects alive.";
	return found ? `${formatExact(found)} of ${plural(all, "type", "types")} match.`
		: "No type matches.";
}

function typeRow(type) {
	const name = button(type.name, () => TYPES.choose(type.index),
		{ class: "link", title: type.name });
	const share = element("td", { class: "with-bar" }, shareBar(type.bytes, HEAP.facts.bytes),
		formatShare(type.bytes, HEAP.facts.bytes));
	const row = element("tr", { "data-type": type.index },
		element("td", null, swatch(type.name), name),
		figure(formatCount(type.objects), type.objects),
		figure(formatBytes(type.bytes), type.bytes),
		figure(formatBytes(type.retained), type.retained),
		...(HEAP.followed ? [ageFigure(type.age, type.ageAtLeast),
			ageFigure(type.oldest, type.oldestAtLeast)] : []), share);
	row.classList.toggle("chosen", type.index === TYPES.chosen);
	return row;
}

function figure(text, exact) {
	const title = exact >= 0 ? formatExact(exact) : "not reached";
	return element("td", { class: "figure", title }, text);
}

function ageFigure(age, atLeast) {
	return element("td", { class: "figure", title: age < 0 ? "not known" : null },
		age < 0 ? "–" : (atLeast ? "≥ " : "") + formatExact(age));
}

function swatch(name) {
	const made = element("span", { class: "swatch", "aria-hidden": "true" });
	made.style.setProperty("--hue", hueOf(name));
	return made;
}

function markType(type) {
	TYPES.chosen = type;
	for (const row of document.querySelectorAll("#types tbody tr"))
		row.classList.toggle("chosen", Number(row.dataset.type) === type);
}
