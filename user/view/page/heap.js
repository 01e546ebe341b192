/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data of the page, and what can be asked of it. Objects, branches and types are known by
 * their index in the tables that view/heap_html_data.c describes; NONE is none. A branch is an
 * object with the same index, or (from HEAP.singles on) a group of objects of one type.
 */
const NONE = -1;
const HEAP = JSON.parse(byId("data").textContent);

function isNode(object) {
	return HEAP.objects[object][0] === NONE;
}

function typeOf(object) {
	return HEAP.objects[object][0];
}

function typeName(type) {
	return HEAP.types[type][0];
}

/* An object by its type, a node of the roots by its name. */
function nameOf(object) {
	return isNode(object) ? HEAP.objects[object][1] : typeName(typeOf(object));
}

function objectAt(index) {
	const [type, address, bytes, retained, dominated, before, skipped, step]
		= HEAP.objects[index];
	return { type, address, bytes, retained, dominated, before, skipped,
		step: step === NONE ? "" : typeof step === "string" ? step : HEAP.fields[step] };
}

function typeAt(index) {
	const [name, objects, bytes, retained, nearest, biggest, age = NONE, ageAtLeast = false,
		oldest = NONE, oldestAtLeast = false] = HEAP.types[index];
	return { index, name, objects, bytes, retained, nearest, biggest, age, ageAtLeast, oldest,
		oldestAtLeast };
}

/* ---- the dominator tree ---- */

/* Is this object a branch by itself? */
function isSingle(object) {
	return object >= 0 && object < HEAP.singles;
}

function branchAt(index) {
	const [parent, bytes, objects, foldedCount, foldedBytes, , type = NONE, count = 0,
		example = index] = HEAP.branches[index];
	return { parent, bytes, objects, foldedCount, foldedBytes, type, count, example };
}

function bytesOf(branch) {
	return HEAP.branches[branch][1];
}

function parentOf(branch) {
	return HEAP.branches[branch][0];
}

/* For each branch those right below it, the biggest first. */
const CHILDREN = (() => {
	const children = HEAP.branches.map(() => []);
	HEAP.branches.forEach(([parent], branch) => {
		if (parent !== NONE)
			children[parent].push(branch);
	});
	for (const siblings of children)
		siblings.sort((a, b) => bytesOf(b) - bytesOf(a) || a - b);
	return children;
})();

/* From the uppermost down to the branch itself. */
function branchesAbove(branch) {
	const above = [];
	for (let at = branch; at !== NONE; at = parentOf(at))
		above.push(at);
	return above.reverse();
}

/* The type, or of the uppermost: what it is. */
function branchType(branch) {
	const { type } = branchAt(branch);
	return branch === 0 ? "all roots" : type === NONE ? nameOf(branch) : typeName(type);
}

function branchName(branch) {
	const { count } = branchAt(branch);
	return branchType(branch) + (count > 1 ? " × " + formatCount(count) : "");
}

/* ---- ways from roots ---- */

/* Indices of objects, the root first; [] where none leads to it. */
function wayTo(object) {
	const way = [];
	for (let at = object; at !== NONE; at = isNode(at) ? NONE : objectAt(at).before)
		way.push(at);
	return isNode(way[way.length - 1]) ? way.reverse() : [];
}
