"use strict";
(() => {
  const HEAD = 48, MARGIN = 16, EDGE = 20; // as in drawing.py and svg.py
  const READABLE = 0.75; // the least factor at which the words of boxes are read with ease
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  document.documentElement.classList.add("js");

  function make(tag, text, attributes = {}) {
    const made = document.createElement(tag);
    if (text !== null) made.textContent = text;
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  }

  function makeSvg(tag, attributes) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  }

  // ---- tabs, and what an address such as #t0-12 means

  const tabs = all("[role=tab]");

  function showTab(tab, focus) {
    for (const other of tabs) {
      const chosen = other === tab;
      other.setAttribute("aria-selected", chosen);
      other.tabIndex = chosen ? 0 : -1;
      byId(other.getAttribute("aria-controls")).hidden = !chosen;
    }
    if (focus) tab.focus();
    if (tab.id === "tab-net" && net) net.keptTop();
  }

  tabs.forEach((tab, number) => {
    tab.addEventListener("click", () => showTab(tab));
    tab.addEventListener("keydown", (event) => {
      const to = { ArrowRight: number + 1, ArrowLeft: number - 1, Home: 0, End: tabs.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      showTab(tabs[(to + tabs.length) % tabs.length], true);
    });
  });

  function goTo(id) {
    const target = id && byId(id);
    const panel = target && target.closest("[role=tabpanel]");
    if (!panel) return;
    showTab(byId(panel.getAttribute("aria-labelledby")));
    for (let around = target; around; around = around.parentElement) if (around.tagName === "DETAILS") around.open = true;
    target.hidden = false;
    target.scrollIntoView({ block: "center" });
  }

  addEventListener("hashchange", () => goTo(decodeURIComponent(location.hash.slice(1))));
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link && link.getAttribute("href") === location.hash) goTo(location.hash.slice(1));
  });

  // ---- the net: boxes are drawn already; opening a module moves those around it

  class Net {
    constructor(number) {
      this.number = number;
      this.facts = data.nets[number];
      this.state = document.querySelector(`.state[data-state="${number}"]`);
      this.svg = this.state.querySelector("svg.net");
      this.root = this.facts.drawing;
      this.boxOf = new Map();
      this.cards = new Map();
      this.bind(this.root, this.svg.firstElementChild, null);
      this.chosen = null;
      this.listen();
    }

    bind(container, group, parent) {
      container.group = group;
      container.parent = parent;
      container.paths = [...group.firstElementChild.children];
      container.boxes.forEach((box, at) => {
        box.element = group.children[at + 1];
        box.card = box.element.firstElementChild;
        box.container = container;
        box.number = at;
        this.cards.set(box.card, box);
        if (box.inner) this.bind(box.inner, box.element.lastElementChild, box);
        else for (const layer of box.layers) this.boxOf.set(layer, box);
      });
    }

    // The size of a container with its open modules, and where its rows and columns are then.
    measure(container) {
      const heights = container.rows.map(([top, bottom]) => bottom - top);
      const wider = container.rows.map(() => []);
      for (const box of container.boxes) {
        box.now = box.size;
        if (box.inner && box.open) {
          const [width, height] = this.measure(box.inner);
          box.now = [Math.max(width + 2 * MARGIN, box.size[0]), height + HEAD + MARGIN];
          wider[box.row].push([box.at[0], box.now[0] - box.size[0]]);
        }
        heights[box.row] = Math.max(heights[box.row], box.now[1]);
      }
      let y = 0;
      container.now = container.rows.map(([top], row) => {
        const gap = row ? top - container.rows[row - 1][1] : 0;
        const span = [y + gap, y + gap + heights[row]];
        y = span[1];
        return span;
      });
      container.across = (row, x) => wider[row].reduce((moved, [at, more]) => moved + (Math.sign(x - at) * more) / 2, x);
      let [low, high] = [Infinity, -Infinity];
      for (const box of container.boxes) {
        box.x = container.across(box.row, box.at[0]);
        low = Math.min(low, box.x - box.now[0] / 2);
        high = Math.max(high, box.x + box.now[0] / 2);
      }
      for (const [, , passes] of container.lines) {
        for (const [x, first, last] of passes) {
          for (let row = first; row <= last; row++) {
            low = Math.min(low, container.across(row, x));
            high = Math.max(high, container.across(row, x));
          }
        }
      }
      container.low = low;
      container.width = high - low;
      container.height = y;
      return [container.width, y];
    }

    place(container) {
      for (const box of container.boxes) {
        const [top, bottom] = container.now[box.row];
        box.y = (top + bottom) / 2;
        box.x -= container.low;
        const [width, height] = box.now;
        box.element.setAttribute("transform", `translate(${box.x - width / 2} ${box.y - height / 2})`);
        if (!box.inner) continue;
        box.element.classList.toggle("open", Boolean(box.open));
        box.card.setAttribute("aria-expanded", Boolean(box.open));
        const [body, stripe] = box.card.children;
        body.setAttribute("width", width);
        body.setAttribute("height", height);
        stripe.setAttribute("height", height);
        const stub = box.card.querySelector(".stub");
        if (stub) stub.setAttribute("d", `M${width / 2} -14V0`);
        const mark = box.element.querySelector(":scope > .mark");
        if (mark) mark.setAttribute("transform", `translate(${width} 0)`);
        if (box.open) {
          box.inner.group.setAttribute("transform", `translate(${(width - box.inner.width) / 2} ${HEAD})`);
          this.place(box.inner);
        }
      }
      container.lines.forEach((line, at) => container.paths[at].setAttribute("d", this.path(container, line)));
    }

    path(container, [from, to, passes]) {
      const source = container.boxes[from], target = container.boxes[to];
      let x = source.x, y = container.now[source.row][1];
      let d = `M${x} ${source.y + source.now[1] / 2}V${y}`;
      const curve = (endX, endY) => {
        const middle = (y + endY) / 2;
        d += Math.abs(x - endX) < 0.1 ? `V${endY}` : `C${x} ${middle} ${endX} ${middle} ${endX} ${endY}`;
        [x, y] = [endX, endY];
      };
      for (const [at, first, last] of passes) {
        for (let row = first; row <= last; row++) {
          curve(container.across(row, at) - container.low, container.now[row][0]);
          y = container.now[row][1];
          d += `V${y}`;
        }
      }
      curve(target.x, container.now[target.row][0]);
      return `${d}V${target.y - target.now[1] / 2}`;
    }

    laidOut() {
      this.size = this.measure(this.root);
      this.place(this.root);
      this.drawMinimap();
    }

    show() {
      this.state.hidden = false;
      if (!this.size) {
        this.laidOut();
        this.begin();
      }
      this.resized();
    }

    // ---- what is seen of it: a factor, and the point in the middle

    // The top of the net, in full width if it can be read then, and else around its first box.
    begin() {
      const [width, height] = this.area();
      const [wide, high] = this.size.map((side) => side + 2 * EDGE);
      this.factor = Math.min(1, Math.max(READABLE, width / wide));
      const half = width / this.factor / 2;
      const x = 2 * half < wide ? Math.min(wide - half, Math.max(half, this.root.boxes[0].x + EDGE)) : wide / 2;
      this.middle = [x, Math.min(height / this.factor, high) / 2];
    }

    area() {
      const { width, height } = this.svg.getBoundingClientRect();
      return [Math.max(width, 50), Math.max(height, 50)];
    }

    resized() {
      if (!this.size || this.state.hidden) return;
      const [width, height] = this.area().map((side) => side / this.factor);
      this.seen = [this.middle[0] - width / 2, this.middle[1] - height / 2, width, height];
      this.svg.setAttribute("viewBox", this.seen.join(" "));
      const [left, top, right, bottom] = [0, 1, 2, 3].map((side) => {
        const at = this.seen[side % 2] - EDGE + (side > 1 ? this.seen[side] : 0);
        return Math.min(this.size[side % 2], Math.max(0, at));
      });
      const frame = { x: left, y: top, width: right - left, height: bottom - top };
      for (const [name, value] of Object.entries(frame)) this.frame.setAttribute(name, value);
    }

    // On paper nothing can be moved.
    showWhole() {
      this.svg.setAttribute("viewBox", [0, 0, ...this.size.map((side) => side + 2 * EDGE)].join(" "));
    }

    // The window has another size: what is at the top stays there.
    keptTop() {
      if (!this.svg.getBoundingClientRect().height) return;
      if (this.seen) this.middle[1] += (this.area()[1] / this.factor - this.seen[3]) / 2;
      this.resized();
    }

    zoom(by, at) {
      const factor = Math.min(4, Math.max(0.02, this.factor * by));
      const [x, y] = at || this.middle;
      const keep = this.factor / factor;
      this.middle = [x + (this.middle[0] - x) * keep, y + (this.middle[1] - y) * keep];
      this.factor = factor;
      this.resized();
    }

    fit() {
      const [width, height] = this.area();
      this.factor = Math.min(1.5, width / (this.size[0] + 2 * EDGE), height / (this.size[1] + 2 * EDGE));
      this.middle = [this.size[0] / 2 + EDGE, this.size[1] / 2 + EDGE];
      this.resized();
    }

    pan(dx, dy) {
      const [w, h] = this.size;
      const held = (value, high) => Math.min(high + 2 * EDGE, Math.max(0, value));
      this.middle = [held(this.middle[0] + dx / this.factor, w), held(this.middle[1] + dy / this.factor, h)];
      this.resized();
    }

    point(event) {
      const area = this.svg.getBoundingClientRect();
      return [
        this.seen[0] + (event.clientX - area.left) / this.factor,
        this.seen[1] + (event.clientY - area.top) / this.factor,
      ];
    }

    listen() {
      const { svg } = this;
      svg.addEventListener("wheel", (event) => {
        event.preventDefault();
        const unit = event.deltaMode ? 16 : 1;
        if (event.ctrlKey || event.metaKey) this.zoom(Math.exp(-event.deltaY * unit * 0.004), this.point(event));
        else if (event.shiftKey) this.pan(event.deltaY * unit, 0);
        else this.pan(event.deltaX * unit, event.deltaY * unit);
      }, { passive: false });
      const fingers = new Map();
      let moved = 0;
      svg.addEventListener("pointerdown", (event) => {
        fingers.set(event.pointerId, event);
        if (fingers.size === 1) moved = 0;
      });
      svg.addEventListener("pointermove", (event) => {
        const before = fingers.get(event.pointerId);
        if (!before) return;
        const other = [...fingers.values()].find((one) => one !== before);
        if (other) {
          const apart = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1;
          this.zoom(apart(event) / apart(before), this.point(event));
        } else {
          moved += Math.abs(event.clientX - before.clientX) + Math.abs(event.clientY - before.clientY);
          if (moved > 4) {
            if (!svg.hasPointerCapture(event.pointerId)) svg.setPointerCapture(event.pointerId);
            svg.classList.add("dragged");
            this.pan(before.clientX - event.clientX, before.clientY - event.clientY);
          }
        }
        fingers.set(event.pointerId, event);
      });
      for (const name of ["pointerup", "pointercancel", "pointerleave"]) {
        svg.addEventListener(name, (event) => {
          fingers.delete(event.pointerId);
          svg.classList.remove("dragged");
        });
      }
      svg.addEventListener("click", (event) => {
        const box = this.cards.get(event.target.closest(".card"));
        if (!box || moved > 4) return;
        if (box.inner && (box.open || event.detail > 1 || event.target.closest(".stripe"))) this.toggle(box);
        else if (box.inner && this.chosen === box) this.toggle(box);
        this.choose(box);
      });
      svg.addEventListener("keydown", (event) => {
        const box = this.cards.get(event.target);
        if (!box) return;
        let to = null;
        if (event.key === "Enter" || event.key === " ") {
          if (box.inner) this.toggle(box);
          this.choose(box);
        } else if (event.key === "ArrowDown") to = this.after(box);
        else if (event.key === "ArrowUp") to = this.before(box);
        else if (event.key === "ArrowLeft") to = this.beside(box, -1);
        else if (event.key === "ArrowRight") to = this.beside(box, 1);
        else return;
        event.preventDefault();
        if (to) {
          this.choose(to);
          this.reveal(to);
          to.card.focus({ preventScroll: true });
        }
      });
      svg.addEventListener("focusin", (event) => this.makeStop(this.cards.get(event.target)));
      this.makeStop(this.root.boxes[0]);
    }

    // One box can be reached by Tab; arrows lead on from there.
    makeStop(box) {
      if (!box) return;
      if (this.stop) this.stop.card.tabIndex = -1;
      this.stop = box;
      box.card.tabIndex = 0;
    }

    after(box) {
      if (box.inner && box.open) return box.inner.boxes[0];
      for (let at = box; at; at = at.container.parent) {
        const line = at.container.lines.find(([source]) => source === at.number);
        if (line) return at.container.boxes[line[1]];
      }
      return null;
    }

    before(box) {
      const line = box.container.lines.find(([, target]) => target === box.number);
      if (!line) return box.container.parent;
      let to = box.container.boxes[line[0]];
      while (to.inner && to.open) to = to.inner.boxes[to.inner.boxes.length - 1];
      return to;
    }

    beside(box, way) {
      const row = box.container.boxes.filter((other) => other.row === box.row && (other.x - box.x) * way > 0);
      return row.sort((one, other) => Math.abs(one.x - box.x) - Math.abs(other.x - box.x))[0] || null;
    }

    toggle(box) {
      const [x, y] = this.cornerOf(box);
      box.open = !box.open;
      this.laidOut();
      const [newX, newY] = this.cornerOf(box);
      this.middle = [this.middle[0] + newX + box.now[0] / 2 - x - box.was / 2, this.middle[1] + newY - y];
      this.resized();
    }

    // The top left corner of a box in the whole drawing.
    cornerOf(box) {
      let [x, y] = [EDGE, EDGE];
      box.was = box.now[0];
      for (let at = box; at; at = at.container.parent) {
        x += at.x - at.now[0] / 2;
        y += at.y - at.now[1] / 2;
        const around = at.container.parent;
        if (around) [x, y] = [x + (around.now[0] - around.inner.width) / 2, y + HEAD];
      }
      return [x, y];
    }

    setAll(open) {
      for (const box of this.cards.values()) if (box.inner) box.open = open;
      this.laidOut();
      this.begin();
      this.resized();
    }

    // Open what is around a box, and bring it into view.
    reveal(box) {
      let changed = false;
      for (let around = box.container.parent; around; around = around.container.parent) {
        changed = changed || !around.open;
        around.open = true;
      }
      if (changed) this.laidOut();
      const [x, y] = this.cornerOf(box);
      const [left, top, width, height] = this.seen || [0, 0, 0, 0];
      const [w, h] = box.now;
      const isFar = this.factor < 0.5;
      if (isFar || x < left || y < top || x + w > left + width || y + h > top + height || changed) {
        if (isFar) this.factor = 0.9;
        this.middle = [x + w / 2, y + Math.min(h, height) / 2];
      }
      this.resized();
    }

    choose(box) {
      if (this.chosen) {
        this.chosen.card.classList.remove("chosen");
        for (const path of this.chosen.container.paths) path.classList.remove("chosen");
      }
      this.chosen = box;
      box.card.classList.add("chosen");
      box.container.lines.forEach(([source, target], at) => {
        if (source === box.number || target === box.number) box.container.paths[at].classList.add("chosen");
      });
      this.makeStop(box);
      showDetails(this, box);
    }

    drawMinimap() {
      if (!this.minimap) {
        this.minimap = makeSvg("svg", { class: "minimap", "aria-hidden": "true", preserveAspectRatio: "none" });
        this.state.append(this.minimap);
        const go = (event) => {
          if (event.type === "pointermove" && !event.buttons) return;
          const area = this.minimap.getBoundingClientRect();
          this.middle = [
            EDGE + ((event.clientX - area.left) / area.width) * this.size[0],
            EDGE + ((event.clientY - area.top) / area.height) * this.size[1],
          ];
          this.resized();
        };
        this.minimap.addEventListener("pointerdown", go);
        this.minimap.addEventListener("pointermove", go);
      }
      const [width, height] = this.size;
      this.minimap.setAttribute("viewBox", `0 0 ${width} ${height}`);
      this.minimap.setAttribute("height", Math.min(Math.max((110 * height) / width, 30), 240));
      const rects = [];
      const add = (container, x, y) => {
        for (const box of container.boxes) {
          const [left, top] = [x + box.x - box.now[0] / 2, y + box.y - box.now[1] / 2];
          if (box.inner && box.open) add(box.inner, left + (box.now[0] - box.inner.width) / 2, top + HEAD);
          else {
            const mark = box.element.querySelector(":scope > .mark");
            const kind = mark ? mark.getAttribute("class").replace("mark ", "") : "";
            rects.push(makeSvg("rect", { x: left, y: top, width: box.now[0], height: box.now[1], class: kind }));
          }
        }
      };
      add(this.root, 0, 0);
      this.frame = makeSvg("rect", { class: "window-frame" });
      this.minimap.replaceChildren(...rects, this.frame);
    }
  }

  let net = null;
  const nets = new Map();

  function showNet(number) {
    for (const state of all(".state")) state.hidden = Number(state.dataset.state) !== number;
    if (!nets.has(number)) nets.set(number, new Net(number));
    net = nets.get(number);
    net.show();
    const state = byId("state");
    if (state) state.value = String(number);
    find();
  }

  // ---- the panel beside the net

  const count = (value) => (value === null ? "?" : value.toLocaleString("en"));
  const shapeText = (shape) => (shape === null ? "?" : shape.join("x") || "scalar");

  function showDetails(of, box) {
    const panel = byId("details");
    const content = [];
    if (box.inner) {
      content.push(make("h3", `${box.layers.length} layers`));
      const button = make("button", box.open ? "Fold" : "Open", { type: "button" });
      button.addEventListener("click", () => { of.toggle(box); showDetails(of, box); });
      content.push(button, layerList(of, box.layers));
    } else {
      for (const index of box.layers) content.push(...layerDetails(of, index));
    }
    panel.replaceChildren(...content);
  }

  function layerList(of, layers) {
    const list = make("ul", null);
    for (const index of layers) {
      const item = make("li", null);
      const { type, name } = of.facts.layers[index];
      const button = make("button", `${name} (${type})`, { type: "button", class: "link" });
      button.addEventListener("click", () => goToLayer(of.number, index));
      item.append(button);
      list.append(item);
    }
    return list;
  }

  function layerDetails(of, index) {
    const layer = of.facts.layers[index];
    const found = [make("h3", `${layer.type} “${layer.name}”`)];
    const list = make("dl", null);
    const say = (what, value) => list.append(make("dt", what), make("dd", value));
    for (const [name, shape] of layer.bottoms) say("bottom", `${name}  ${shapeText(shape)}`);
    for (const [name, shape] of layer.tops) say("top", `${name}  ${shapeText(shape)}`);
    if (layer.params === null) say("parameters", "unknown");
    for (const param of layer.params || []) {
      const name = param.name ? `${param.name}: ` : "";
      say("parameter", `${name}${shapeText(param.shape)}, lr_mult ${param.lr}, decay_mult ${param.decay}`);
    }
    if (layer.parameters) say("in all", `${count(layer.parameters)} parameters`);
    if (layer.work) say("work", `${count(layer.work)} multiply-adds`);
    const weight = layer.loss.filter(Boolean);
    if (weight.length) say("loss weight", weight.join(", "));
    say("backward", layer.backward ? "runs" : "does not run");
    found.push(list);
    data.findings.forEach(([severity, message, on], number) => {
      if ((on[of.number] || []).includes(index)) {
        const line = make("p", null, { class: `note ${severity}` });
        line.append(make("a", `${severity}: ${message}`, { href: `#f${number}` }));
        found.push(line);
      }
    });
    if (layer.lines) {
      const [first, last] = layer.lines;
      const lines = [];
      for (let at = first; at <= Math.min(last, first + 80); at++) {
        const line = byId(`t${of.facts.text}-${at}`);
        if (line) lines.push(line.firstChild.data);
      }
      if (lines.length) {
        const more = make("details", null);
        more.append(make("summary", "Text"), make("pre", lines.join("")));
        const link = make("a", `line ${first}`, { href: `#t${of.facts.text}-${first}` });
        found.push(link, more);
      }
    }
    return found;
  }

  function goToLayer(number, index) {
    showTab(byId("tab-net"));
    if (net === null || net.number !== number) showNet(number);
    const box = net.boxOf.get(index);
    if (!box) return;
    net.reveal(box);
    net.choose(box);
    box.card.focus({ preventScroll: true });
  }

  // ---- finding layers by name or type, and those with findings

  let hits = [], hit = -1;

  function find() {
    const wanted = byId("find").value.trim().toLowerCase();
    for (const card of all(".card.hit")) card.classList.remove("hit");
    hits = [];
    hit = -1;
    if (wanted) {
      for (const [index, { name, type }] of Object.entries(net.facts.layers)) {
        if (name.toLowerCase().includes(wanted) || type.toLowerCase().includes(wanted)) hits.push(Number(index));
      }
      for (const index of hits) net.boxOf.get(index)?.card.classList.add("hit");
    }
    byId("found").textContent = wanted ? `${hits.length} found` : "";
  }

  function nextHit(way) {
    if (!hits.length) return;
    hit = (hit + way + hits.length) % hits.length;
    const box = net.boxOf.get(hits[hit]);
    net.reveal(box);
    net.choose(box);
    byId("found").textContent = `${hit + 1} of ${hits.length}`;
  }

  let finding = -1;

  function nextFinding() {
    const layers = new Set();
    for (const [, , on] of data.findings) for (const index of on[net.number] || []) layers.add(index);
    const ordered = [...layers].sort((one, other) => one - other);
    if (!ordered.length) return;
    finding = (finding + 1) % ordered.length;
    goToLayer(net.number, ordered[finding]);
  }

  if (data.nets && data.nets.length) {
    byId("find").addEventListener("input", find);
    byId("find").addEventListener("keydown", (event) => {
      if (event.key === "Enter") nextHit(event.shiftKey ? -1 : 1);
      if (event.key === "Escape") { event.target.value = ""; find(); }
    });
    const act = {
      "zoom-in": () => net.zoom(1.3),
      "zoom-out": () => net.zoom(1 / 1.3),
      fit: () => net.fit(),
      "open-all": () => net.setAll(true),
      "close-all": () => net.setAll(false),
      "next-finding": nextFinding,
    };
    for (const [id, action] of Object.entries(act)) byId(id).addEventListener("click", action);
    const keys = { "+": "zoom-in", "=": "zoom-in", "-": "zoom-out", 0: "fit", n: "next-finding" };
    document.addEventListener("keydown", (event) => {
      if (byId("panel-net").hidden || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target.closest("input, select, textarea")) return;
      if (event.key === "/") {
        event.preventDefault();
        byId("find").focus();
      } else if (keys[event.key]) act[keys[event.key]]();
    });
    byId("state")?.addEventListener("change", (event) => showNet(Number(event.target.value)));
    addEventListener("resize", () => net.keptTop());
    addEventListener("beforeprint", () => { for (const one of nets.values()) one.showWhole(); });
    addEventListener("afterprint", () => { for (const one of nets.values()) one.resized(); });
  }

  // ---- the list of findings

  const form = document.querySelector(".filters");

  function filter() {
    const severities = new Set(all("[data-severity]", form).filter((box) => box.checked).map((box) => box.dataset.severity));
    const value = (name) => form.querySelector(`[data-filter=${name}]`)?.value || "";
    const [rule, file, text] = [value("rule"), value("file"), value("text").toLowerCase()];
    for (const item of all(".findings > li")) {
      item.hidden =
        !severities.has(item.className) ||
        (rule && item.dataset.rule !== rule) ||
        (file && item.dataset.file !== file) ||
        (text && !item.textContent.toLowerCase().includes(text));
    }
  }

  if (form) {
    form.addEventListener("input", filter);
    form.addEventListener("submit", (event) => event.preventDefault());
  }
  for (const button of all("[data-finding]")) {
    const on = Object.entries(data.findings[Number(button.dataset.finding)][2]);
    if (!on.length) button.remove();
    else button.addEventListener("click", () => goToLayer(Number(on[0][0]), on[0][1][0]));
  }

  if (tabs.length) showTab(tabs[0]);
  if (data.nets && data.nets.length) showNet(0);
  if (location.hash) goTo(decodeURIComponent(location.hash.slice(1)));
})();
