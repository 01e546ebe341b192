/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The dominator tree as an icicle: each branch is a block below the one that it would go with, as
 * wide as what it keeps alive. Groups of objects have a double edge. Only what is wide enough to
 * be seen is drawn; the rest, and what the page has folded, is one hatched block that says how much
 * it is. So a drawing has some hundred blocks, however large the heap.
 */
const ROWS = 12;
const ROW_HEIGHT = 30; /* as in page.css */
const LEAST_WIDTH = 4;
const WIDTH_OF_TEXT = 34;
const WIDTH_WITH_SIZE = 130;

const ICICLE = { top: 0, focused: 0, show: null, width: 0 };

function showIcicle(show) {
	ICICLE.show = show;
	const icicle = byId("icicle");
	icicle.addEventListener("click", clickIcicle);
	icicle.addEventListener("keydown", keyInIcicle);
	icicle.addEventListener("mouseover", event => tellBlock(event.target.closest(".block")));
	icicle.addEventListener("focusin", event => tellBlock(event.target));
	icicle.addEventListener("mouseleave", () => tellBlock(null));
	new ResizeObserver(() => {
		if (icicle.clientWidth !== ICICLE.width)
			drawIcicle();
	}).observe(icicle);
	drawIcicle();
}

function zoomIcicle(branch) {
	ICICLE.top = branch;
	ICICLE.focused = branch;
	drawIcicle();
}

/* ---- layout ---- */

/* Blocks in the order of their depth; without recursion, since a list is as deep as it is long. */
function layOut(top, width) {
	const blocks = [{ branch: top, x: 0, width, row: 0 }];
	for (let i = 0; i < blocks.length; i++) {
		const block = blocks[i];
		if (block.branch !== NONE && block.row + 1 < ROWS)
			layOutBelow(block, blocks);
	}
	return blocks;
}

function layOutBelow(block, blocks) {
	const { bytes, foldedCount, foldedBytes } = branchAt(block.branch);
	const scale = bytes > 0 ? block.width / bytes : 0;
	let x = block.x, more = foldedCount, moreBytes = foldedBytes;
	for (const branch of CHILDREN[block.branch]) {
		const width = bytesOf(branch) * scale;
		if (width < LEAST_WIDTH) {
			more += branchAt(branch).count || 1;
			moreBytes += bytesOf(branch);
			continue;
		}
		blocks.push({ branch, x, width, row: block.row + 1 });
		x += width;
	}
	if (more && moreBytes * scale >= 1)
		blocks.push({ branch: NONE, above: block.branch, x, width: moreBytes * scale,
			row: block.row + 1, more, bytes: moreBytes });
}

/* ---- drawing ---- */

function drawIcicle() {
	const icicle = byId("icicle");
	const hadFocus = icicle.contains(document.activeElement);
	const facts = HEAP.facts, width = ICICLE.width = icicle.clientWidth;
	const isWhole = ICICLE.top === 0 && facts.bytes > 0;
	const reached = isWhole ? width * facts.reached_bytes / facts.bytes : width;
	const blocks = layOut(ICICLE.top, reached);
	if (width - reached >= 1)
		blocks.push({ branch: NONE, unreached: true, x: reached, width: width - reached,
			row: 0 });
	icicle.replaceChildren(...blocks.map(drawBlock));
	icicle.style.setProperty("--rows", Math.max(...blocks.map(block => block.row)) + 1);
	drawCrumbs();
	focusBlock(ICICLE.focused, hadFocus);
}

function drawBlock(block) {
	const made = block.branch === NONE ? drawMore(block) : drawBranch(block);
	made.style.left = block.x + "px";
	made.style.width = Math.max(1, block.width - 1) + "px";
	made.style.top = block.row * ROW_HEIGHT + "px";
	return made;
}

function drawBranch({ branch, width, row }) {
	const hasBelow = CHILDREN[branch].length > 0, goesOn = hasBelow && row + 1 === ROWS;
	const made = element("div", {
		class: "block", role: "treeitem", tabindex: "-1", "data-branch": branch,
		"aria-level": row + 1, "aria-label": wordsOfBranch(branch),
		"aria-selected": String(branch === ICICLE.top),
		"aria-expanded": hasBelow ? String(!goesOn) : false,
	});
	made.classList.toggle("all", branch === 0);
	made.classList.toggle("group", branchAt(branch).count > 1);
	made.classList.toggle("goes-on", goesOn);
	made.style.setProperty("--hue", hueOf(branchType(branch)));
	if (width >= WIDTH_OF_TEXT)
		made.append(element("span", { class: "name" }, branchName(branch)));
	if (width >= WIDTH_WITH_SIZE)
		made.append(element("span", { class: "size" }, formatBytes(bytesOf(branch))));
	return made;
}

function drawMore(block) {
	const words = block.unreached ? wordsOfUnreached() : wordsOfMore(block);
	const made = element("div", { class: "block more", role: "treeitem", title: words,
		"aria-level": block.row + 1, "aria-label": words });
	if (!block.unreached)
		made.dataset.above = block.above;
	if (block.width >= 2 * WIDTH_OF_TEXT)
		made.append(element("span", { class: "name" }, block.unreached ? nameOfUnreached()
			: `${formatCount(block.more)} more`));
	return made;
}

function wordsOfBranch(branch) {
	const { bytes, objects, count, example } = branchAt(branch);
	const what = branch === 0 ? "All roots: keep" : count > 1
		? `${formatExact(count)} ${branchType(branch)}: keep`
		: `${nameOf(example)} ${objectAt(example).address}: keeps`;
	return `${what} ${formatBytes(bytes)} (${formatShare(bytes, HEAP.facts.bytes)}) alive in`
		+ ` ${plural(objects, "object", "objects")}`;
}

function wordsOfMore({ above, more, bytes }) {
	return `${plural(more, "more object", "more objects")} below ${branchName(above)}, too`
		+ ` small to be drawn: ${formatBytes(bytes)} (${formatShare(bytes, HEAP.facts.bytes)})`;
}

function nameOfUnreached() {
	return HEAP.facts.reached_only ? "reached weakly only" : "not reached";
}

function wordsOfUnreached() {
	const { objects, reached_objects, bytes, reached_bytes } = HEAP.facts;
	const what = HEAP.facts.reached_only ? "Reached by weak references only"
		: "Not reached by any root";
	return `${what}: ${formatBytes(bytes - reached_bytes)} in`
		+ ` ${plural(objects - reached_objects, "object", "objects")}`;
}

function tellBlock(block) {
	const words = block && block.getAttribute("aria-label");
	byId("readout").textContent = words || wordsOfBranch(ICICLE.top);
}

/* ---- where we are ---- */

const CRUMBS_EACH_SIDE = 3;

function drawCrumbs() {
	const above = branchesAbove(ICICLE.top), left = above.length - 2 * CRUMBS_EACH_SIDE;
	const crumb = branch => branch === ICICLE.top
		? element("b", { "aria-current": "location" }, branchName(branch))
		: button(branchName(branch), () => ICICLE.show.branch(branch), { class: "link" });
	const crumbs = left < 2 ? above.map(crumb) : [
		...above.slice(0, CRUMBS_EACH_SIDE).map(crumb),
		element("span", null, `… ${formatExact(left)} more`),
		...above.slice(CRUMBS_EACH_SIDE + left).map(crumb)];
	byId("crumbs").replaceChildren(...crumbs);
	tellBlock(null);
}

/* ---- hands ---- */

function clickIcicle(event) {
	const block = event.target.closest("[data-branch], [data-above]");
	if (!block)
		return;
	if (block.dataset.above !== undefined)
		zoomTo(Number(block.dataset.above));
	else
		zoomTo(Number(block.dataset.branch));
}

/* Into a branch; out of it where it is the uppermost already. */
function zoomTo(branch) {
	const up = branch === ICICLE.top && branch !== 0;
	ICICLE.show.branch(up ? parentOf(branch) : branch);
}

function keyInIcicle(event) {
	const keys = {
		ArrowDown: () => CHILDREN[ICICLE.focused][0],
		ArrowUp: () => ICICLE.focused === ICICLE.top ? undefined : parentOf(ICICLE.focused),
		ArrowRight: () => siblingOf(ICICLE.focused, 1),
		ArrowLeft: () => siblingOf(ICICLE.focused, -1),
		Home: () => ICICLE.top,
	};
	if (event.key === "Enter" || event.key === " ")
		zoomTo(ICICLE.focused);
	else if ((event.key === "Escape" || event.key === "Backspace") && ICICLE.top !== 0)
		ICICLE.show.branch(parentOf(ICICLE.top));
	else if (event.key in keys)
		focusBlock(keys[event.key](), true);
	else
		return;
	event.preventDefault();
}

function siblingOf(branch, step) {
	if (branch === ICICLE.top)
		return undefined;
	const siblings = CHILDREN[parentOf(branch)];
	return siblings[siblings.indexOf(branch) + step];
}

/* One block is in the order of tabs at a time. What is not drawn stays where it is. */
function focusBlock(branch, take) {
	const block = byId("icicle").querySelector(`[data-branch="${branch}"]`);
	if (!block)
		return;
	const before = byId("icicle").querySelector("[tabindex='0']");
	if (before)
		before.tabIndex = -1;
	block.tabIndex = 0;
	ICICLE.focused = branch;
	if (take)
		block.focus({ preventScroll: true });
}
