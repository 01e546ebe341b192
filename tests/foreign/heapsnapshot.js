// SPDX-License-Identifier: BSD-2-Clause
// What memlab reads in a heap snapshot, one line each, with tabs in between:
//
//   name     NUMBER  NAME                                     before the first node that has it
//   node     TYPE  NUMBER  SIZE  REFERENCES  WEAK  RETAINED   NUMBER is that of its name
//   time     SECONDS
//
// usage: NODE_PATH=... node heapsnapshot.js FILE [summary]
//
// With `summary`: a line `retained` with the sum over all objects, instead of those of nodes.
'use strict';

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

main(process.argv[2], process.argv[3] === 'summary');
