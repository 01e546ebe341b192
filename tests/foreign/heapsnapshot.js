// SPDX-License-Identifier: BSD-2-Clause
// What memlab reads in a heap snapshot, one line each, with tabs in between:
//
//   name     NUMBER  NAME                                     before the first node that has it
//   node     TYPE  NUMBER  SIZE  REFERENCES  WEAK  RETAINED   NUMBER is that of its name
//   time     SECONDS
//
// usage: NODE_PATH=... node heapsnapshot.js FILE [summary]
//        NODE_PATH=... node heapsnapshot.js --compare FILES
//
// With `summary`: a line `retained` with the sum over all objects, instead of those of nodes.
// --compare: N.heapsnapshot in the directory FILES with what N.want says
// (tests/unit/view/random_heap.h); a line `wrong` for each object that differs, and `compared` with
// how many there were.
'use strict';

const fs = require('fs');
const { TraceFinder, utils } = require('@memlab/core');

const names = new Map();
let text = [];

function say(...words) {
	text.push(words.join('\t') + '\n');
	if (text.length >= 10000)
		flush();
}

function flush() {
	process.stdout.write(text.join(''));
	text = [];
}

function numberOf(name) {
	if (!names.has(name)) {
		names.set(name, names.size);
		say('name', names.get(name), name);
	}
	return names.get(name);
}

function sayNode(node) {
	let strong = 0, weak = 0;

	node.forEachReference(edge => {
		if (edge.type === 'weak')
			weak++;
		else
			strong++;
	});
	say('node', node.type, numberOf(node.name), node.self_size, strong, weak,
		node.retainedSize);
}

async function compare(file, want) {
	const snapshot = await utils.getSnapshotFromFile(file, {});
	const lines = fs.readFileSync(want, 'utf8').trimEnd().split('\n');
	let count = 0;

	new TraceFinder().calculateAllNodesRetainedSizes(snapshot);
	lines.forEach((line, i) => {
		const node = snapshot.nodes.get(i + 1), retained = line.split(' ')[1];

		if (retained === '-')
			return;
		if (node.type !== 'object' || String(node.retainedSize) !== retained)
			say('wrong', file, line, node.retainedSize);
		count++;
	});
	return count;
}

async function compareAll(files) {
	let count = 0;

	for (let i = 0; fs.existsSync(`${files}/${i}.heapsnapshot`); i++)
		count += await compare(`${files}/${i}.heapsnapshot`, `${files}/${i}.want`);
	say('compared', count);
	flush();
}

async function main(file, summary) {
	const began = process.hrtime.bigint();
	const snapshot = await utils.getSnapshotFromFile(file, {});
	let retained = 0;

	new TraceFinder().calculateAllNodesRetainedSizes(snapshot);
	snapshot.nodes.forEach(node => {
		if (!summary)
			sayNode(node);
		else if (node.type === 'object')
			retained += node.retainedSize;
	});
	if (summary)
		say('retained', retained);
	say('time', Number(process.hrtime.bigint() - began) / 1e9);
	flush();
}

if (process.argv[2] === '--compare')
	compareAll(process.argv[3]);
else
	main(process.argv[2], process.argv[3] === 'summary');
