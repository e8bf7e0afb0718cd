// Makes the page easier to read: draws the schedules, shows source beside places, filters, copies. Without it all texts are there.
"use strict";
(() => {
	const SVG = "http://www.w3.org/2000/svg", NARROW = 150, WIDE = 300, ROW = 30, LEFT = 34, TOP = 34, LETTER = 7.3;
	const all = (selector, root) => [...(root || document).querySelectorAll(selector)];
	const make = (name, attributes, text) => {
		const element = name.startsWith("svg:") ? document.createElementNS(SVG, name.slice(4)) : document.createElement(name);
		for (const key in attributes || {}) element.setAttribute(key, attributes[key]);
		if (text !== undefined) element.textContent = text;
		return element;
	};
	// The end of a name often tells it from others: what is too long loses its middle.
	const cut = (text, width) => {
		const letters = Math.floor(width / LETTER), tail = Math.floor(letters / 3);
		return text.length > letters ? text.slice(0, letters - tail - 1) + "…" + text.slice(-tail) : text;
	};
	document.body.classList.add("live");

	// ---- schedules ----

	// The steps of a finding, in the order of its table: the order of the run that is shown.
	const stepsOf = finding => all("table.steps tr", finding).slice(1).map(row => ({
		row, number: +row.cells[0].textContent, thread: row.cells[1].textContent, text: row.cells[2].textContent, place: row.cells[3].textContent,
		seen: +row.dataset.seen, stop: row.classList.contains("stop"), recorded: row.dataset.recorded, loop: "loop" in row.dataset, after: (row.dataset.after || "").split(" ").filter(Boolean).map(Number)
	}));

	// The one reversed order to point at: two steps of different threads, near each other, about the same thing if there are such.
	const reversedOf = steps => {
		let best = null, worth = -Infinity;
		steps.forEach((a, i) => steps.slice(i + 1).forEach((b, k) => {
			if (a.thread === b.thread || !(a.seen > b.seen)) return;
			const same = a.text.split(" ").pop() === b.text.split(" ").pop();
			const value = (same ? 100 : 0) + (b.stop ? 50 : 0) - k;
			if (value >= worth) [best, worth] = [[a, b], value];
		}));
		return best;
	};

	// An arrow from a step down to a later one: it runs between the rows, and beside the other lane, so that it crosses no label.
	const arrow = (from, to, kind, shift) => {
		const group = make("svg:g"), x = to.x + (from.x < to.x ? -shift : shift), y = from.y + 15 + (shift ? 3 : 0);
		const end = to.y - 11;
		group.append(make("svg:path", { class: kind, d: `M${from.x} ${from.y + 6}V${y}H${x}V${end}` }));
		group.append(make("svg:path", { class: kind === "must" ? "tip" : "turned-tip", d: `M${x} ${end + 5}l-4 -8h8z` }));
		return group;
	};

	const draw = (steps, lanes, lane, reversed, title, error) => {
		const width = LEFT + lanes.length * lane, height = TOP + steps.length * ROW + 6;
		const svg = make("svg:svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title + ": " + steps.map(s => `${s.number} ${s.thread} ${s.text}`).join("; ") });
		const at = new Map(steps.map((step, i) => [step.number, { x: LEFT + lanes.indexOf(step.thread) * lane + 10, y: TOP + i * ROW + 14 }]));
		lanes.forEach((thread, i) => {
			const x = LEFT + i * lane + 10, head = make("svg:text", { class: "head", x: x - 6, y: 18 }, cut(thread, lane - 14));
			head.append(make("svg:title", {}, thread));
			svg.append(head, make("svg:line", { class: "lane", x1: x, x2: x, y1: 26, y2: height - 4 }));
		});
		for (const step of steps)
			for (const other of step.after)
				if (at.has(other)) svg.append(arrow(at.get(other), at.get(step.number), "must", 4));
		if (reversed) {
			const [first, second] = [...reversed].sort((a, b) => at.get(a.number).y - at.get(b.number).y);
			svg.append(arrow(at.get(first.number), at.get(second.number), "turned", 0));
		}
		for (const step of steps) {
			const { x, y } = at.get(step.number), marked = step.stop && error;
			const group = make("svg:g", { class: marked ? "stop" : "", "data-step": step.number });
			group.append(make("svg:title", {}, `step ${step.number}, ${step.thread}: ${step.text}\n${step.place}\nevent ${step.seen} of the recorded run${step.recorded === undefined ? "" : `, where the value was ${step.recorded}`}`));
			const label = cut(step.text, lane - 26);
			group.append(make("svg:rect", { x: x + 10, y: y - 11, width: label.length * LETTER + 6, height: 22, rx: 4 }), make("svg:text", { class: "n", x: 4, y: y + 4 }, step.number));
			group.append(make("svg:circle", { cx: x, cy: y, r: 5 }));
			if (marked) group.append(make("svg:circle", { class: "ring", cx: x, cy: y, r: 9 }));
			group.append(make("svg:text", { x: x + 13, y: y + 4 }, label));
			svg.append(group);
		}
		const figure = make("figure"), canvas = make("div", { class: "canvas" });
		canvas.append(svg);
		figure.append(make("figcaption", {}, title), canvas);
		return figure;
	};

	// Hovering over a step shows it in both pictures and in the table.
	const link = (finding, steps) => {
		const heat = (number, hot) => {
			all(`[data-step="${number}"]`, finding).forEach(group => group.classList.toggle("hot", hot));
			steps.find(step => step.number === number).row.classList.toggle("hot", hot);
		};
		const listen = (element, number) => {
			element.addEventListener("mouseenter", () => heat(number, true));
			element.addEventListener("mouseleave", () => heat(number, false));
		};
		all("[data-step]", finding).forEach(group => listen(group, +group.dataset.step));
		steps.forEach(step => listen(step.row, step.number));
	};

	const picture = finding => {
		const place = finding.querySelector(".picture"), steps = place ? stepsOf(finding) : [];
		if (!steps.length) return;
		const lanes = [...new Set(steps.map(step => step.thread))].sort(), seen = [...steps].sort((a, b) => a.seen - b.seen);
		const predicted = steps.some((step, i) => step !== seen[i]), reversed = predicted && reversedOf(steps), loop = steps.some(step => step.loop);
		const room = (place.parentNode.clientWidth - 40) / (predicted && place.parentNode.clientWidth > 820 ? 2 : 1);
		const lane = Math.max(NARROW, Math.min(WIDE, Math.floor((room - LEFT - 8) / lanes.length)));
		if (predicted) place.append(draw(seen, lanes, lane, reversed, "as it was recorded", false));
		place.append(draw(steps, lanes, lane, reversed, predicted ? (finding.dataset.status === "confirmed" ? "as it was predicted, and confirmed" : "as it is predicted") : finding.dataset.status === "predicted" ? "predicted, in the order in which it was recorded" : "as it was recorded", true));
		const legend = make("p", { class: "legend" });
		if (steps.some(step => step.stop)) legend.append(make("u", {}, "◉"), " the error  ");
		if (steps.some(step => step.after.length)) legend.append(make("s", {}, "→"), " had to come first: it made the thread or the value, freed the lock, or woke  ");
		if (reversed) legend.append(make("i", {}, "⇢"), " this order is reversed: nothing makes sure of the recorded one  ");
		if (loop) legend.append("the last steps repeat for ever");
		place.after(legend);
		link(finding, steps);
	};

	// ---- source ----

	const excerpt = anchor => {
		const [, file, number] = /^#s(\d+)-(\d+)$/.exec(anchor.getAttribute("href") || "") || [];
		const line = file && document.getElementById(`s${file}-${number}`);
		if (!line) return null;
		const box = make("pre", { class: "src", title: line.parentNode.title });
		for (let at = +number - 3; at <= +number + 3; at++) {
			const span = document.getElementById(`s${file}-${at}`);
			if (!span) continue;
			const row = make(at === +number ? "b" : "span");
			row.append(make("span", { class: "ln" }, String(at).padStart(5) + "  "), span.textContent);
			box.append(row);
		}
		return box;
	};

	// A place shows its source below it when it is clicked; the error's own places from the start.
	const toggleSource = anchor => {
		const home = anchor.closest(".frame, td, .locks") || anchor, next = home.querySelector(":scope > pre.src") || (home.nextElementSibling || {});
		if (next.matches && next.matches("pre.src")) return next.remove();
		const box = excerpt(anchor);
		if (box) home.tagName === "TD" ? home.append(box) : home.after(box);
	};

	// ---- copying ----

	const copy = async (text, button) => {
		try {
			await navigator.clipboard.writeText(text);
		} catch {
			const area = make("textarea");
			area.value = text;
			document.body.append(area);
			area.select();
			document.execCommand("copy");
			area.remove();
		}
		button.textContent = "copied";
		setTimeout(() => button.textContent = "copy", 1500);
	};

	// ---- a finding, when it is first opened ----

	const fill = finding => {
		if (!finding.open || finding.filled) return;
		finding.filled = true;
		picture(finding);
		all(".side", finding).forEach(side => {
			const first = side.querySelector(".frame .place");
			if (first) toggleSource(first);
		});
		all("code.copy", finding).forEach(code => {
			const button = make("button", { type: "button", "aria-label": "copy " + code.textContent }, "copy");
			button.addEventListener("click", () => copy(code.textContent, button));
			code.after(" ", button);
		});
	};

	const findings = all("main > details");
	findings.forEach(finding => {
		finding.addEventListener("toggle", () => fill(finding));
		fill(finding);
	});
	document.addEventListener("click", event => {
		const anchor = event.target.closest("a.place[href]");
		if (!anchor) return;
		event.preventDefault();
		toggleSource(anchor);
	});

	// ---- moving ----

	let current = -1;
	const go = index => {
		if (!findings[index]) return;
		if (findings[current]) findings[current].classList.remove("current");
		current = index;
		findings[index].classList.add("current");
		findings[index].open = true;
		fill(findings[index]);
		findings[index].querySelector("summary").focus({ preventScroll: true });
		findings[index].scrollIntoView({ block: "start" });
	};
	const goToHash = () => go(findings.findIndex(finding => "#" + finding.id === location.hash));
	addEventListener("hashchange", goToHash);

	const step = by => {
		let next = current + by;
		while (findings[next] && findings[next].hidden) next += by;
		if (findings[next]) history.replaceState(null, "", "#" + findings[next].id), go(next);
	};

	// ---- filter ----

	const form = document.getElementById("filter"), rows = all("#index > li"), choices = {};
	let search, count;
	const filter = () => {
		const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
		let shown = 0;
		rows.forEach((row, i) => {
			const text = (row.textContent + " " + findings[i].id + " " + (row.dataset.file || "")).toLowerCase();
			const fits = words.every(word => text.includes(word)) && Object.keys(choices).every(key => !choices[key].value || row.dataset[key] === choices[key].value);
			row.hidden = findings[i].hidden = !fits;
			shown += fits;
		});
		count.textContent = shown === rows.length ? `${shown} findings` : `${shown} of ${rows.length} findings`;
	};
	if (form && rows.length > 1) {
		search = make("input", { type: "search", placeholder: "filter: words of titles, files, ids", "aria-label": "filter" });
		form.append(search);
		for (const key of [...new Set(rows.flatMap(row => Object.keys(row.dataset)))]) {
			const values = [...new Set(rows.map(row => row.dataset[key]).filter(Boolean))].sort();
			if (values.length < 2) continue;
			const choice = choices[key] = make("select", { "aria-label": key, "data-by": key });
			choice.append(make("option", { value: "" }, "any " + key));
			for (const value of values) choice.append(make("option", { value }, value));
			form.append(choice);
		}
		count = make("output", { class: "soft" });
		form.append(count);
		form.hidden = false;
		form.addEventListener("input", filter);
		form.addEventListener("submit", event => event.preventDefault());
		filter();
	}

	// ---- keys ----

	const help = make("div", { id: "help", role: "dialog", "aria-label": "keys" }, "j next finding · k previous · o open or close · / filter · Esc leave the filter · ? this");
	help.hidden = true;
	document.body.append(help);
	const keys = {
		j: () => step(1), k: () => step(-1), o: () => findings[current] && (findings[current].open = !findings[current].open),
		"/": () => search && search.focus(), "?": () => help.hidden = !help.hidden
	};
	addEventListener("keydown", event => {
		if (event.ctrlKey || event.metaKey || event.altKey) return;
		if (event.key === "Escape") return help.hidden = true, search && document.activeElement === search && (search.value = "", filter(), search.blur());
		if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || !keys[event.key]) return;
		event.preventDefault();
		keys[event.key]();
	});
	goToHash();
})();
