// Forms without a reload, copy buttons, arrow keys on charts. Every page works without this file.
document.addEventListener("submit", async (event) => {
  const form = event.target;
  const target = form.dataset.replace;
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
    const wrong = document.querySelector(target + " [aria-invalid]");
    if (wrong) wrong.focus();
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

// A chart is one stop of the tab key; arrow keys go from point to point.
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

function enhance() {
  for (const button of document.querySelectorAll("[data-copy]")) button.hidden = !navigator.clipboard;
  for (const point of document.querySelectorAll(".point:has(~ .point)")) point.setAttribute("tabindex", "-1");
}

enhance();
