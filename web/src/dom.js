// Small helpers to make elements, sortable tables, and choices.
export function element(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (value === true) e.setAttribute(key, "");
    else if (value !== false && value != null) e.setAttribute(key, value);
  }
  e.append(...children.filter((c) => c != null));
  return e;
}

// "1 run", "2 runs"
export function counted(number, noun, many = `${noun}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : many}`;
}

// columns: {name, number, of(row) -> value to sort by, show(row) -> text or node}. A click or Enter on a head sorts.
export function table(columns, rows, { caption, onrow } = {}) {
  const body = element("tbody");
  const heads = columns.map((c) =>
    element("th", { scope: "col", class: c.number ? "number" : null, "aria-sort": "none" },
      element("button", { type: "button", onclick: () => sort(c) }, c.name)));
  let sorted = null, descending = false;
  function fill(list) {
    body.replaceChildren(...list.map((row) => {
      const line = element("tr", {}, ...columns.map((c, i) => {
        const shown = c.show ? c.show(row) : c.of(row);
        return element(i ? "td" : "th", i ? { class: c.number ? "number" : null } : { scope: "row" }, shown ?? "–");
      }));
      if (onrow) onrow(line, row);
      return line;
    }));
  }
  function sort(column) {
    descending = sorted === column ? !descending : Boolean(column.number);
    sorted = column;
    columns.forEach((c, i) => heads[i].setAttribute("aria-sort", c === column ? (descending ? "descending" : "ascending") : "none"));
    const missing = (v) => v == null || Number.isNaN(v);
    fill([...rows].sort((a, b) => {
      const x = column.of(a), y = column.of(b);
      if (missing(x) || missing(y)) return missing(x) - missing(y); // what is missing comes last
      const order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
      return descending ? -order : order;
    }));
  }
  fill(rows);
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body));
}

let groups = 0;
// One of several, as radio buttons that look like tabs; calls change(index) at once and at every choice.
export function choice(label, names, change) {
  const group = `choice${groups++}`;
  const field = element("fieldset", {}, element("legend", { hidden: true }, label),
    ...names.map((name, i) => element("label", {},
      element("input", { type: "radio", name: group, checked: i === 0, onchange: () => change(i) }), name)));
  return field;
}

export function select(label, names, change) {
  const box = element("select", { "aria-label": label, onchange: () => change(box.selectedIndex) },
    ...names.map((n) => element("option", {}, n)));
  return box;
}
