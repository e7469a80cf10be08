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
    document.querySelector(target).replaceWith(page.querySelector(target));
    const wrong = document.querySelector(target + " [aria-invalid]");
    if (wrong) wrong.focus();
    showCopyButtons();
  } catch {
    form.removeAttribute("data-replace");
    form.submit();
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
