/* gambeson: what is chosen on the screen of settings counts at once; without this file the button keeps it. */
(() => {
'use strict'
const form = document.getElementById('look')
form.querySelector('[data-keep]').hidden = true
form.addEventListener('change', async () => {
  const chosen = new FormData(form)
  await fetch(form.action, {method: 'POST', body: new URLSearchParams(chosen), redirect: 'manual'})
  location.reload()
})
})()
