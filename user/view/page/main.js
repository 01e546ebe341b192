/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts do with each other: what is chosen in one of them is shown in all. */

const narrow = matchMedia("(max-width: 68rem)");

/* What is clicked on in one part, for all of them. */
const show = {
	/* The tree shows the branch that it is, or hangs from. */
	object(object) {
		const branch = nearestSingle(object);
		choose(object, branch === object ? branch : NONE, branch);
	},
	branch(branch) {
		choose(branchAt(branch).example, branch, branch);
	},
};

function choose(object, branch, top) {
	showDetails(object, branch, show);
	zoomIcicle(top);
	markType(isNode(object) ? NONE : typeOf(object));
	if (narrow.matches && branch !== 0)
		byId("details").scrollIntoView({ block: "nearest" });
}

/* Ways lead over each dominator: the last branch on the way is the nearest. */
function nearestSingle(object) {
	const singles = wayTo(object).filter(isSingle);
	return singles.length ? singles[singles.length - 1] : 0;
}

function chooseType(type) {
	const { biggest, nearest } = typeAt(type);
	const object = biggest !== NONE ? biggest : nearest;
	if (object !== NONE) {
		show.object(object);
		return;
	}
	markType(type);
	byId("details").replaceChildren(
		element("h2", { id: "details-title" }, typeName(type)),
		note("No root reaches an object of this type: a collection of the whole heap frees"
			+ " them."));
}

function goToSearch(event) {
	const typing = event.target.closest("input, textarea");
	if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey)
		return;
	event.preventDefault();
	byId("search").focus();
}

showHeading();
showFindings(show);
showIcicle(show);
showTypes(chooseType);
showRoots(show);
showFolded();
showDetails(0, 0, show);
document.addEventListener("keydown", goToSearch);
