// Forms without a reload, copy buttons, arrow keys on charts, suggestions. Every page works without this file.
document.addEventListener("submit", async (event) => {
  const form = event.target;
  const target = form.dataset.replace;
  if ("tidy" in form.dataset) leaveOutEmpty(form);
  if (!target) return;
  event.preventDefault();
  const button = form.querySelector("button");
  button.disabled = true;
  try {
    const response = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const part = page.querySelector(target);
    if (!part) throw new Error("the answer is not a page");
    document.querySelector(target).replaceWith(part);
    const wrong = part.querySelector("[aria-invalid]");
    if (wrong) wrong.focus();
    show(part.querySelector("[data-select]"));
    enhance();
  } catch {
    // The request may have been carried out, so it is not sent again by itself.
    let notice = form.querySelector("p.wrong");
    if (!notice) {
      notice = document.createElement("p");
      notice.className = "wrong";
      notice.setAttribute("role", "alert");
      form.prepend(notice);
    }
    notice.textContent = form.dataset.failed;
    button.disabled = false;
  }
});

// What is shown only once is brought into view whole, focused and selected.
function show(secret) {
  if (!secret) return;
  secret.closest("section").scrollIntoView();
  secret.focus({ preventScroll: true });
  getSelection().selectAllChildren(secret);
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch {
    // Not allowed: the text is selected, ready for the keyboard.
    getSelection().selectAllChildren(source);
    return;
  }
  const label = (button.dataset.label ??= button.textContent);
  const status = button.nextElementSibling;
  button.textContent = status.textContent = button.dataset.done;
  setTimeout(() => {
    button.textContent = label;
    status.textContent = "";
  }, 3000);
});

// A chart is one stop of the tab key, here its newest point; arrow keys go from point to point.
document.addEventListener("keydown", (event) => {
  const point = event.target.closest?.(".point");
  if (!point) return;
  const points = [...point.parentNode.querySelectorAll(".point")];
  const place = points.indexOf(point);
  const next = { ArrowLeft: place - 1, ArrowRight: place + 1, Home: 0, End: points.length - 1 }[event.key];
  if (!points[next]) return;
  event.preventDefault();
  point.setAttribute("tabindex", "-1");
  points[next].setAttribute("tabindex", "0");
  points[next].focus();
});

// Fields that are not filled in do not belong in the address.
function leaveOutEmpty(form) {
  const empty = [...form.elements].filter((field) => field.name && field.value === "" && !field.disabled);
  for (const field of empty) field.disabled = true;
  setTimeout(() => empty.forEach((field) => (field.disabled = false)));
}

// What may be meant by the text in a field, while it is typed: a list that the arrow keys walk through.
function suggest(input) {
  const list = document.createElement("ul");
  const status = document.createElement("span");
  list.id = `${input.id}-suggestions`;
  list.className = "suggestions";
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", input.dataset.list);
  status.className = "unseen";
  status.setAttribute("role", "status");
  input.after(list, status);
  for (const [name, value] of Object.entries({ role: "combobox", "aria-expanded": "false", "aria-controls": list.id, "aria-autocomplete": "list" })) {
    input.setAttribute(name, value);
  }
  // Of a field for a company, the code of the one that is chosen; otherwise its page.
  const fills = "fills" in input.dataset;
  let timer, asked;

  function take(option) {
    if (!fills) return location.assign(option.dataset.href);
    input.value = option.dataset.company;
    stop();
  }

  function close() {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
    status.textContent = "";
  }

  function stop() {
    clearTimeout(timer);
    asked?.abort();
    close();
  }

  function choose(option) {
    for (const other of list.children) other.setAttribute("aria-selected", String(other === option));
    if (option) input.setAttribute("aria-activedescendant", option.id);
    else input.removeAttribute("aria-activedescendant");
  }

  async function ask() {
    const text = input.value;
    if (!/[\p{L}\p{N}]/u.test(text)) return close();
    asked = new AbortController();
    try {
      const address = new URL(input.dataset.suggest, location);
      address.searchParams.set("q", text);
      const response = await fetch(address, { signal: asked.signal });
      if (!response.ok) return close();
      show((await response.json()).data.filter(({ company }) => company || !fills));
    } catch {
      // Left behind by the next letter, or no answer: the form can be sent without.
    }
  }

  function show(rows) {
    if (rows.length === 0 || document.activeElement !== input) return close();
    list.replaceChildren(
      ...rows.map(({ text, detail, href, company }, place) => {
        const option = document.createElement("li");
        const small = document.createElement("small");
        option.id = `${list.id}-${place}`;
        option.dataset.href = href;
        if (company) option.dataset.company = company;
        option.setAttribute("role", "option");
        option.setAttribute("aria-selected", "false");
        option.textContent = text;
        small.textContent = detail;
        option.append(" ", small);
        return option;
      }),
    );
    choose(null);
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    status.textContent = `${rows.length} ${input.dataset.found}`;
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    asked?.abort();
    timer = setTimeout(ask, 180);
  });
  input.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const options = [...list.children];
    const place = options.findIndex((option) => option.getAttribute("aria-selected") === "true");
    const last = options.length - 1;
    const next = { ArrowDown: place < last ? place + 1 : 0, ArrowUp: place > 0 ? place - 1 : last }[event.key];
    if (next !== undefined) choose(options[next]);
    else if (event.key === "Escape") stop();
    else if (event.key === "Enter" && place >= 0) take(options[place]);
    else return;
    event.preventDefault();
  });
  input.addEventListener("blur", stop);
  input.form.addEventListener("submit", stop);
  // The field keeps the focus, so that the list is still there when the button is let go.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) take(option);
  });
}

function enhance() {
  for (const button of document.querySelectorAll("[data-copy]")) button.hidden = !navigator.clipboard;
  for (const point of document.querySelectorAll(".chart .point")) point.setAttribute("tabindex", point.matches(":has(~ .point)") ? "-1" : "0");
  for (const chart of document.querySelectorAll(".chart svg:has(.point)")) chart.removeAttribute("tabindex");
}

enhance();
show(document.querySelector("[data-select]"));
for (const input of document.querySelectorAll("[data-suggest]")) suggest(input);
