#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Look at a page of gctrace heap --html as a person does, in a headless browser.

usage: html_check.py PAGE HEAP.json TREE.json PATH.json

The others are what gctrace heap and path -o json say of the same dump: all types, the dominator
tree, and the shortest path to an object of a type. Prints what is wrong, a line each; exit status 1
if anything is. With --hostile names are not compared: those of the page are escaped.
"""
import json
import sys

from browser import Browser

wrong = []


def expect(what, got, want):
    if got != want:
        wrong.append(f"{what}: {got!r}, expected {want!r}")


def read(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def of_kind(lines, event):
    return [line for line in lines if line["event"] == event]


def check_figures(browser, lines, hostile):
    summary = of_kind(lines, "summary")[0]
    facts = browser.evaluate("HEAP.facts")
    for name in ("objects", "bytes", "references", "roots", "reached_objects", "reached_bytes"):
        expect(name, facts[name], summary[name])
    expect("complete", browser.evaluate("HEAP.complete"), summary["complete"])
    tiles = browser.evaluate("document.getElementById('tiles').innerText")
    for name in ("objects", "bytes"):
        if f"{summary[name]:,}" not in tiles:
            wrong.append(f"the tiles do not show {summary[name]:,} {name}: {tiles!r}")
    types = browser.evaluate("HEAP.types.map(row => row.slice(0, 4))")
    want = [[line["name"], line["count"], line["shallow_bytes"], line.get("retained_bytes", -1)]
            for line in of_kind(lines, "type")]
    start = 1 if hostile else 0
    expect("types", sorted(row[start:] for row in types), sorted(row[start:] for row in want))
    findings = browser.evaluate("HEAP.findings.map(finding => finding.bytes)")
    expect("findings", findings, [line["bytes"] for line in of_kind(lines, "finding")])
    expect("findings shown", browser.evaluate(
        "document.querySelectorAll('#findings > li').length"), len(findings))


def check_ages(browser, lines):
    """The columns are there where collections were followed, with what -o json says of each type."""
    types = of_kind(lines, "type")
    heads = browser.evaluate("[...document.querySelectorAll('#types th')]"
                             ".filter(head => head.offsetWidth > 0).map(head => head.dataset.key)")
    expect("columns", heads, ["name", "objects", "bytes", "retained"] +
           (["age", "oldest"] if "age_most" in types[0] else []) + ["share"])
    expect("cells of a row", browser.evaluate(
        "document.querySelector('#types tbody tr').cells.length"), len(heads))
    if "age_most" not in types[0]:
        return
    expect("collections followed", browser.evaluate("HEAP.followed"),
           of_kind(lines, "header")[0]["followed_collections"])
    expect("ages", dict(browser.evaluate(
        "TYPES.all.map(type => [type.name, [type.age, type.oldest, type.oldestAtLeast]])")),
        {line["name"]: [line["age_median"], line["age_most"], line.get("at_least", False)]
         for line in types})
    browser.click("#types th[data-key=oldest] button")
    shown = browser.evaluate("[...document.querySelectorAll('#types tbody tr')]"
                             ".map(row => row.cells[5].innerText)")
    most = sorted((line["age_most"] for line in types), reverse=True)[:len(shown)]
    expect("the oldest first", [int(text.replace("≥", "").replace(",", "")) for text in shown], most)
    if not browser.evaluate("document.getElementById('types-ages').innerText"):
        wrong.append("it is not said what an age is")
    browser.click("#types th[data-key=retained] button")


def check_tree(browser, lines):
    least = browser.evaluate("HEAP.least")
    singles = dict(browser.evaluate(
        "HEAP.objects.slice(1, HEAP.singles)"
        ".map(([, address, , retained]) => [address, retained])"))
    nodes = [line for line in of_kind(lines, "node") if "address" in line]
    for line in nodes:
        if line["retained_bytes"] >= least:
            expect(line["address"], singles.get(line["address"]), line["retained_bytes"])
    if not any(line["retained_bytes"] >= least for line in nodes):
        wrong.append("no object of the tree is on the page")


def names_in_table(browser):
    return browser.evaluate(
        "[...document.querySelectorAll('#types tbody tr')]"
        ".map(row => row.cells[0].innerText.trim())")


def check_table(browser):
    everything = names_in_table(browser)
    browser.ask("Input.dispatchKeyEvent", type="keyDown", key="/", text="/")
    browser.type("hashmap ENTRY")
    found = names_in_table(browser)
    expect("search", found, [name for name in everything
                             if "hashmap" in name.lower() and "entry" in name.lower()])
    if not found:
        wrong.append("the search finds nothing")
    if "match" not in browser.evaluate("document.getElementById('types-count').innerText"):
        wrong.append("it is not said how many match")
    browser.evaluate("document.getElementById('search').select()")
    browser.type("no such type")
    expect("search for nothing", names_in_table(browser), [])
    browser.evaluate("document.getElementById('search').value = ''; searchTypes()")
    browser.click("#types th[data-key=objects] button")
    counts = browser.evaluate("[...document.querySelectorAll('#types tbody tr')]"
                              ".map(row => HEAP.types[row.dataset.type][1])")
    expect("by objects", counts, sorted(counts, reverse=True))
    expect("aria-sort", browser.evaluate(
        "document.querySelector('#types th[data-key=objects]').ariaSort"), "descending")


def crumb(browser):
    return browser.evaluate("document.querySelector('#crumbs [aria-current]').innerText")


def check_icicle(browser):
    expect("zoomed at first", crumb(browser), "all roots")
    name = browser.evaluate(
        "document.querySelector('#icicle [aria-level=\"2\"]').dataset.branch")
    label = browser.evaluate(f"branchName({name})")
    browser.click('#icicle [aria-level="2"]')
    expect("zoomed by a click", crumb(browser), label)
    expect("its width", browser.evaluate(
        "Math.round(document.querySelector('#icicle [aria-level=\"1\"]').offsetWidth"
        " - document.getElementById('icicle').clientWidth)"), -1)
    if label.split(" ×")[0] not in browser.evaluate(
            "document.getElementById('details').innerText"):
        wrong.append("a click in the icicle does not show details")
    browser.key("ArrowDown")
    below = browser.evaluate("Number(document.activeElement.dataset.branch)")
    expect("the arrow leads down", browser.evaluate(f"parentOf({below})"), int(name))
    browser.key("Enter")
    expect("zoomed by Enter", browser.evaluate("ICICLE.top"), below)
    browser.key("Escape")
    browser.key("Escape")
    expect("zoomed out", crumb(browser), "all roots")
    too_many = browser.evaluate("document.querySelectorAll('*').length")
    if too_many > 10000:
        wrong.append(f"the page has {too_many} elements")


def check_path(browser, lines):
    path = of_kind(lines, "path")[0]
    address = path["address"]
    row = browser.evaluate("HEAP.types.findIndex(([, , , , nearest]) => nearest >= 0 &&"
                           f" HEAP.objects[nearest][1] === {json.dumps(address)})")
    browser.click(f'#types tr[data-type="{row}"] button')
    if browser.evaluate("!!document.querySelector('#details .choice:last-child')"):
        browser.click("#details .choice:last-child")
    shown = browser.evaluate("[...document.querySelectorAll('#details .path li')].map(item => ["
                             "item.querySelector('.step')?.innerText ?? null,"
                             "(item.querySelector('button, strong') ?? item).innerText])")
    expect("path", shown, [[step["name"] if i > 1 else None,
                            step["type"] if i else step["name"]]
                           for i, step in enumerate(path["steps"])])
    if address not in browser.evaluate("document.getElementById('details').innerText"):
        wrong.append("the details do not tell the address")


def check_roots(browser, lines):
    want = [line["retained_bytes"] for line in of_kind(lines, "root") if line["depth"] == 0]
    got = browser.evaluate("HEAP.roots.filter(row => row[0] === 0 && row[5] === 0)"
                           ".map(row => row[2])")
    expect("kinds of roots", got, want[:len(got)])
    browser.click("#roots summary")
    expect("a kind that was clicked on is open", browser.evaluate(
        "document.querySelectorAll('#roots details[open] > ul > li').length > 0"), True)


def check_words(browser):
    """Of the biggest groups and of objects: nothing that a program would say."""
    for branch in browser.evaluate("CHILDREN.flat().slice(-20).concat(CHILDREN[0].slice(0, 20))"):
        browser.evaluate(f"show.branch({branch})")
        words = browser.evaluate("document.body.innerText")
        for odd in ("null", "undefined", "NaN", "[object"):
            if odd in words:
                wrong.append(f"branch {branch}: the page says {odd}")


def check_safety(browser):
    expect("scripts", browser.evaluate("document.scripts.length"), 2)
    expect("errors", browser.errors, [])
    expect("requests", browser.requests, [])
    # From here on the page complains: it forbids what is tried.
    expect("a script without the nonce runs", browser.evaluate("""(() => {
        const script = document.createElement("script");
        script.textContent = "window.ran = true";
        document.body.append(script);
        return window.ran === true;
    })()"""), False)
    expect("a request is let through", browser.evaluate(
        "fetch('http://127.0.0.1:9/').then(() => true, error => String(error).includes('violates')"
        " || false)") is True, False)
    if not any("Content Security Policy" in error for error in browser.errors):
        wrong.append("the page forbids nothing")


def main(page, heap, tree, path, hostile):
    lines = read(heap)
    with Browser() as browser:
        seconds = browser.open(page)
        check_figures(browser, lines, hostile)
        check_tree(browser, read(tree))
        check_roots(browser, lines)
        if not hostile:
            check_ages(browser, lines)
            check_table(browser)
            check_path(browser, read(path))
            browser.evaluate("show.branch(0)")
        check_icicle(browser)
        if not hostile:
            check_words(browser)
        check_safety(browser)
    print(f"open after {seconds:.2f} s")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--hostile"]
    sys.exit(main(*words, "--hostile" in sys.argv))
