// Forms without a reload, and copy buttons. Every page works without this file.
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
    showCopyButtons();
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
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
  button.textContent = button.dataset.done;
});

function showCopyButtons() {
  if (!navigator.clipboard) return;
  for (const button of document.querySelectorAll("[data-copy]")) button.hidden = false;
}

showCopyButtons();
