// Search and sort the table of labels. Names are data: they are shown as text, never as HTML.
(() => {
  "use strict";
  const STEP = 100; // rows that are added at a time
  const root = document.currentScript.parentElement;
  const { kind, names, labels, margins } = JSON.parse(root.querySelector("script").textContent);
  const form = root.querySelector("form");
  const body = root.querySelector("tbody");
  const status = root.querySelector("[role=status]");
  const more = root.querySelector(".more");
  const first = body.rows.length;

  const texts = names ?? labels.map((_, row) => String(row));
  const lowerCase = texts.map((text) => text.toLowerCase());
  const margin = margins.map((value) => value ?? Infinity);
  const collator = new Intl.Collator("en", { numeric: true });
  const compareNumbers = (values) => (a, b) => (values[a] > values[b]) - (values[a] < values[b]);
  const columns = [
    (a, b) => collator.compare(texts[a], texts[b]),
    compareNumbers(labels),
    compareNumbers(margin),
  ];
  const rows = [...labels.keys()];
  let found = rows;
  let shown = first;

  const number = new Intl.NumberFormat("en", { minimumFractionDigits: 1 });
  const cellsOf = (row) => [
    texts[row],
    labels[row] < 0 ? "outlier" : String(labels[row]),
    margin[row] === Infinity ? "infinite" : number.format(margin[row]),
  ];

  const draw = () => {
    body.replaceChildren(
      ...found.slice(0, shown).map((row) => {
        const line = document.createElement("tr");
        for (const [column, text] of cellsOf(row).entries()) {
          const cell = line.insertCell();
          cell.textContent = text;
          if (column > 0) cell.className = "number";
        }
        return line;
      }),
    );
    const counts = [body.rows.length, found.length].map((count) => count.toLocaleString("en"));
    status.textContent = `Showing ${counts.join(" of ")} ${kind}.`;
    more.hidden = found.length <= shown;
  };

  const search = () => {
    const name = form.elements.name.value.toLowerCase();
    const cluster = form.elements.cluster.valueAsNumber;
    found = rows.filter(
      (row) => lowerCase[row].includes(name) && (Number.isNaN(cluster) || labels[row] === cluster),
    );
    shown = first;
    draw();
  };

  const heads = [...root.querySelectorAll("th")];
  const sort = (column, descending) => {
    rows.sort((a, b) => (descending ? columns[column](b, a) : columns[column](a, b)) || a - b);
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    heads[column].setAttribute("aria-sort", descending ? "descending" : "ascending");
    search();
  };
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => {
      sort(column, head.getAttribute("aria-sort") === "ascending");
    });
    head.append(button);
  });

  form.addEventListener("input", search);
  form.addEventListener("submit", (event) => event.preventDefault());
  more.addEventListener("click", () => {
    shown += STEP;
    draw();
  });
  form.hidden = false;
  sort(2, false);
})();
