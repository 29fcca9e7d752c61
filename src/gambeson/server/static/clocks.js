/* gambeson: clocks that run between commands. The page says when each runs out; what is left is worked out anew each
   second, so that it is right again after a sleep. Nothing is asked of the server. */
(() => {
'use strict'
const ahead = Number(document.body.dataset.now || Date.now()) - Date.now()
const SPOKEN = [300, 120, 60, 0]
const before = new Map()

function left(ends) { return Math.ceil(Number(ends) - (Date.now() + ahead) / 1000) }

function shown(seconds) {
  const hours = Math.floor(seconds / 3600), minutes = Math.floor(seconds / 60) % 60
  const tail = `${String(seconds % 60).padStart(2, '0')}`
  return hours ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`
}

/* Said at 5, 2 and 1 minutes and when it is over; not for what was over before anybody looked. */
function speak(clock, seconds, text) {
  const key = `${clock.dataset.who} ${clock.dataset.ends}`, was = before.get(key)
  before.set(key, seconds)
  const polite = document.getElementById('polite')
  if (polite && was !== undefined && SPOKEN.some(mark => was > mark && seconds <= mark)) polite.textContent = `${clock.dataset.who}: ${text}`
}

function tick() {
  for (const clock of document.querySelectorAll('[data-ends]')) {
    const seconds = left(clock.dataset.ends), out = seconds <= 0
    const text = out ? clock.dataset.out : shown(seconds)
    const place = clock.querySelector('[role=timer]') || clock
    if (place.textContent !== text) place.textContent = text
    clock.classList.toggle('out', out)
    clock.classList.toggle('soon', !out && seconds < 60)
    if (clock.dataset.who) speak(clock, seconds, text)
  }
  for (const chip of document.querySelectorAll('[data-gone]')) chip.hidden = left(chip.dataset.gone) <= 0
}

/* When something happened, by the clock of whoever reads; where a game has its own time, only as an aside. */
function dated() {
  for (const one of document.querySelectorAll('time[data-at]')) {
    if (one.title || (one.textContent && !one.dataset.aside)) continue
    const when = new Date(Number(one.dataset.at) * 1000), old = Date.now() - when > 43200000
    one.dateTime = when.toISOString()
    let text = when.toLocaleTimeString(document.documentElement.lang, {hour: '2-digit', minute: '2-digit', hour12: false})
    if (old) text = `${when.toLocaleDateString(document.documentElement.lang, {day: 'numeric', month: 'numeric'})} ${text}`
    if (one.dataset.aside) one.title = `${one.dataset.aside} ${text}`
    else one.textContent = text
  }
}

/* What is opened is seen. */
document.addEventListener('toggle', event => {
  if (event.target.open && event.target.matches('.more')) event.target.closest('article').scrollIntoView({block: 'nearest', behavior: 'smooth'})
}, true)

tick()
dated()
setInterval(tick, 1000)
document.addEventListener('visibilitychange', tick)
addEventListener('pageshow', tick)
document.addEventListener('htmx:after:swap', () => { tick(); dated() })
document.addEventListener('htmx:sse:after:message', tick)
})()
