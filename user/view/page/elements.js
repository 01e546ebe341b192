/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Elements. Text is put in as text, never as HTML: names come from the process that was looked at.
 */

function byId(id) {
	return document.getElementById(id);
}

/* element("button", { type: "button", onclick: f }, "words", otherElement) */
function element(tag, attributes, ...children) {
	const made = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes || {})) {
		if (name.startsWith("on"))
			made.addEventListener(name.slice(2), value);
		else if (value !== false && value !== null && value !== undefined)
			made.setAttribute(name, value === true ? "" : value);
	}
	made.append(...children.filter(child => child !== null && child !== undefined));
	return made;
}

function note(words) {
	return element("p", { class: "note" }, words);
}

function button(words, onclick, attributes) {
	return element("button", { type: "button", onclick, ...attributes }, words);
}

/* A bar as long as the share; what it says stands beside it. */
function shareBar(part, whole) {
	const bar = element("span", { class: "share", "aria-hidden": "true" });
	const length = whole > 0 && part > 0 ? Math.min(1, part / whole) : 0;
	bar.style.setProperty("--part", (100 * length).toFixed(2) + "%");
	return bar;
}

/* The same package has the same hue. */
function hueOf(name) {
	const dot = name.lastIndexOf(".");
	const group = dot > 0 ? name.slice(0, dot) : name.replace(/[^A-Za-z].*/, "");
	let hash = 2166136261;
	for (const unit of group)
		hash = Math.imul(hash ^ unit.codePointAt(0), 16777619);
	hash ^= hash >>> 15;
	return (Math.imul(hash, 0x9e3779b1) >>> 0) % 360;
}
