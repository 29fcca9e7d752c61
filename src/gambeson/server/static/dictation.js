/* gambeson: a blow or a line may be dictated where the device listens. What was heard is shown and can be changed;
   it is never sent by itself. What it means is for the server to say, as of everything that is typed. */
(() => {
'use strict'
const Listening = window.SpeechRecognition || window.webkitSpeechRecognition
if (!Listening || !window.isSecureContext) return

for (const button of document.querySelectorAll('[data-dictate]')) {
  const field = document.getElementById(button.dataset.dictate)
  const note = document.getElementById(button.getAttribute('aria-describedby'))
  let now = null
  button.hidden = false

  const end = text => {
    now = null
    button.setAttribute('aria-pressed', 'false')
    note.textContent = text || ''
  }

  const heard = text => {
    field.value = text.trim().replace(/[.!?\u2026]+$/, '')
    field.dispatchEvent(new Event('input', {bubbles: true}))
  }

  const problem = event => end(button.dataset[{'not-allowed': 'barred', 'service-not-allowed': 'barred', 'no-speech': 'silence', aborted: 'nothing'}[event.error] || 'failed'] || '')

  button.addEventListener('click', () => {
    if (now) { now.stop(); return }
    const one = now = new Listening()
    one.lang = document.documentElement.lang === 'ru' ? 'ru-RU' : 'en-US'
    one.interimResults = true
    one.onresult = event => heard([...event.results].map(result => result[0].transcript).join(' '))
    one.onerror = event => { if (now === one) problem(event) }
    one.onend = () => { if (now === one) end() }
    button.setAttribute('aria-pressed', 'true')
    note.textContent = button.dataset.on
    try { one.start() } catch { end(button.dataset.failed) }
  })
  addEventListener('pagehide', () => now?.abort())
}
})()
