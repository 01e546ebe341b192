/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures for people, as in gctrace's text: a unit and three significant digits. */

function threeDigits(value) {
	return value >= 999.5 ? value.toFixed(0) : value.toPrecision(3);
}

/* value in the largest unit of which it has at least one; units[0] is shown without a fraction. */
function inUnits(value, step, units) {
	let unit = 0;
	while (unit + 1 < units.length && Number(threeDigits(value)) >= step) {
		value /= step;
		unit++;
	}
	return (unit ? threeDigits(value) : String(value)) + (units[unit] ? " " + units[unit] : "");
}

function formatBytes(bytes) {
	return bytes < 0 ? "–" : inUnits(bytes, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]);
}

function formatCount(count) {
	return count < 0 ? "–" : inUnits(count, 1000, ["", "k", "M", "G"]);
}

/* 1,234,567 */
function formatExact(count) {
	return count.toLocaleString("en");
}

function formatNs(ns) {
	return inUnits(ns, 1000, ["ns", "µs", "ms", "s"]);
}

function formatShare(part, whole) {
	return whole > 0 && part >= 0 ? (100 * part / whole).toFixed(1) + " %" : "–";
}

function plural(count, one, many) {
	return formatExact(count) + " " + (count === 1 ? one : many);
}
