/* gambeson: what the live table does beyond links and forms. Everything works without it, only less well:
   1 sending once, also without network   2 the connection   3 what changes is said   4 a blow by touch
   5 dice   6 small helps   7 the wall */
(() => {
'use strict'
const $ = (selector, root = document) => root.querySelector(selector)
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)]
const body = document.body
const table = body.dataset.table || ''
const KEPT = `gambeson-queue-${table}`
const kept = store => ({
  get: key => { try { return JSON.parse(store().getItem(key)) } catch { return null } },
  set: (key, value) => { try { store().setItem(key, JSON.stringify(value)) } catch { /* a private window keeps nothing */ } },
})
const local = kept(() => localStorage)

/* 1 — sending. A form is sent with the id it carries; the server answers the same to the same id.
   What could not be sent waits here, in order, and is sent once when the network is back. */
let queue = local.get(KEPT) || []
let sending = false

async function post(item) {
  return fetch(item.url, {
    method: 'POST', body: new URLSearchParams(item.body), headers: {'X-Gambeson': '1'}, redirect: 'manual',
  })
}

function busy(form, on) {
  for (const button of $$('button', form).concat($$(`button[form="${form.id || '-'}"]`))) {
    if (button.type === 'button') continue
    if (on) button.setAttribute('aria-disabled', 'true')
    else button.removeAttribute('aria-disabled')
    const label = $('span', button)
    if (label && button.dataset.busy) {
      if (on) { button.dataset.was = label.textContent; label.textContent = button.dataset.busy }
      else if (button.dataset.was) label.textContent = button.dataset.was
    }
  }
}

document.addEventListener('submit', async event => {
  const form = event.target
  if (!form.matches('form[data-send]')) return
  event.preventDefault()
  if (form.dataset.sent) return
  form.dataset.sent = '1'
  busy(form, true)
  const data = new FormData(form, event.submitter || undefined)
  if (form.action.endsWith('/undo') && $('#last')) body.style.setProperty('--held', `${$('#last').offsetHeight}px`)
  const item = {url: form.action, body: [...data.entries()].map(([key, value]) => [key, String(value)]), said: said(form)}
  try {
    if (queue.length) throw new TypeError('what waits goes first')
    const response = await post(item)
    await finished(form, response)
  } catch {
    queue.push(item)
    local.set(KEPT, queue)
    lost()
    fresh(form)
    busy(form, false)
  } finally {
    delete form.dataset.sent
  }
})

async function finished(form, response) {
  const go = response.headers.get('X-Go')
  const stays = connected && go === location.pathname && !go.endsWith('/ask')
  if (response.ok && go && !stays) {
    location.assign(go)
    return
  }
  busy(form, false)
  fresh(form)
  if (stays) {
    for (const one of $$('[data-refused]')) one.textContent = ''
    return
  }
  if (response.status === 404) location.reload()
  const place = $('[data-refused]', form) || $('[data-refused]')
  if (place) {
    place.innerHTML = response.status === 422 ? await response.text() : ''
    if (!place.textContent.trim()) place.textContent = `${response.status}`
    place.scrollIntoView({block: 'nearest'})
  }
}

/* The next input of this form is another one. */
function fresh(form) {
  const client = $('input[name=client]', form)
  if (client) client.value = [...crypto.getRandomValues(new Uint8Array(12))].map(n => n.toString(36)).join('')
}

function said(form) {
  const heading = $('h1')
  const button = $('button.act, button.main', form) || $(`button[form="${form.id || '-'}"]`)
  return [heading, button].filter(Boolean).map(one => one.textContent.trim()).join(' · ').slice(0, 80)
}

async function flush() {
  if (sending || !queue.length) return
  sending = true
  let to = ''
  try {
    while (queue.length) {
      const response = await post(queue[0])
      const item = queue.shift()
      local.set(KEPT, queue)
      if (response.ok) to = response.headers.get('X-Go') || to
      else if (response.status === 422) complain(item, await response.text())
      else if (response.status >= 500) { queue.unshift(item); local.set(KEPT, queue); break }
    }
  } catch { /* still no network */ } finally {
    sending = false
  }
  banner()
  if (to && !queue.length && !$('.complaint')) location.assign(to)
}

function complain(item, html) {
  const box = document.createElement('div')
  box.className = 'complaint'
  box.setAttribute('role', 'alert')
  box.innerHTML = html
  box.prepend(`${$('#net')?.dataset.no || ''} ${item.said}`)
  $('#main')?.prepend(box)
}

/* 2 — the connection. */
let connected = false, gone = 0, since = 0
const live = $('#live')

function state(name) {
  for (const mark of $$('.link-state')) {
    mark.dataset.state = name
    const words = $('span', mark)
    if (words) words.textContent = mark.dataset[name] || ''
  }
}

function lost() {
  connected = false
  state('lost')
  if (!since) since = Date.now()
  banner(true)
}

function found() {
  const was = since
  connected = true
  since = 0
  clearTimeout(gone)
  gone = 0
  state('live')
  if (was) { back(); changed() }
  flush()
}

function plural(n, data) {
  const form = new Intl.PluralRules(document.documentElement.lang).select(n)
  return (data[form] || data.other || '').replace(/\d+/, n)
}

function banner(now = false) {
  const net = $('#net')
  if (!net) return
  const off = now || since || queue.length
  net.hidden = !off
  if (!off) return
  $('strong', net).textContent = since || now ? net.dataset.lost : ''
  const waiting = $('.waiting', net)
  waiting.textContent = queue.length ? plural(queue.length, net.dataset) : ''
  for (const button of $$('button', net)) button.remove()
  if (queue.length) {
    const drop = document.createElement('button')
    drop.className = 'btn'
    drop.textContent = net.dataset.drop
    drop.addEventListener('click', () => { queue.pop(); local.set(KEPT, queue); banner() })
    net.append(drop)
  }
}

function back() {
  const net = $('#net')
  if (!net) return
  $('strong', net).textContent = net.dataset.back
  net.hidden = false
  setTimeout(() => { if (connected) banner() }, 3000)
}

function doubtful() {
  connected = false
  state('back')
  if (!since) since = Date.now()
  if (!gone) gone = setTimeout(() => { gone = 0; if (!connected) lost() }, 2000)
}

if (live) {
  document.addEventListener('htmx:sse:after:connection', event => {
    if (event.detail?.connection?.status < 300) found()
  })
  document.addEventListener('htmx:sse:before:connection', event => {
    if (event.detail?.connection?.attempt > 0) doubtful()
  })
  document.addEventListener('htmx:sse:error', event => {
    if (event.detail?.status === 404) location.reload()
    else if (event.detail?.error?.name !== 'AbortError') doubtful()
  })
  document.addEventListener('htmx:sse:after:message', changed)
  addEventListener('offline', lost)
  addEventListener('online', () => { if (live._htmx?.sse?.reader) found(); else hurry(); flush() })
  document.addEventListener('visibilitychange', () => { if (!document.hidden) hurry() })
  setInterval(() => {
    if (!live._htmx?.sse && document.visibilityState === 'visible') {
      if (!connected) doubtful()
      connect()
    } else if (queue.length && navigator.onLine) flush()
  }, 3000)
  banner()
}

function connect() {
  if (window.htmx) htmx.ajax('GET', live.getAttribute('hx-sse:connect'), {source: live, swap: 'none'}).catch(() => {})
}

function hurry() {
  const sse = live?._htmx?.sse
  if (sse?.delayCanceller) sse.delayCanceller()
}

function changed() {
  announce()
  body.dispatchEvent(new CustomEvent('changed'))
}

/* 3 — what changes is said: politely what came of it, at once what must be decided or shouted. */
let last = $('[data-last]')?.dataset.last || '', mine = asked()

function asked() { return $$('[data-mine]').map(one => one.dataset.mine).join('\n') }

function announce() {
  const now = $('[data-last]')
  if (now && now.dataset.last !== last) {
    last = now.dataset.last
    $('#polite').textContent = $$('.outcome', now).map(one => one.textContent).join('. ')
    if (now.dataset.shout) {
      $('#assertive').textContent = `${$('#assertive').dataset.shout}: ${now.dataset.shout}`
      signal([200])
    }
  }
  const open = asked()
  if (open && open !== mine) {
    $('#assertive').textContent = $('#assertive').dataset.you
    signal([120, 80, 120])
  }
  mine = open
}

function signal(pattern) {
  if (body.dataset.buzz === 'on' && navigator.vibrate) navigator.vibrate(pattern)
  if (body.dataset.sound !== 'on' || !window.AudioContext) return
  const audio = new AudioContext(), tone = audio.createOscillator(), volume = audio.createGain()
  tone.frequency.value = 660
  volume.gain.value = .1
  tone.connect(volume).connect(audio.destination)
  tone.start()
  tone.stop(audio.currentTime + pattern.length * .12)
  tone.onended = () => audio.close()
}

/* A card under a finger is swapped when it lifts. */
let finger = null, held = []
document.addEventListener('pointerdown', event => { finger = event.target.closest?.('.card') })
for (const end of ['pointerup', 'pointercancel']) document.addEventListener(end, () => { finger = null; for (const go of held.splice(0)) go() })
document.addEventListener('htmx:sse:before:message', event => {
  if (finger) event.detail.waitUntil(Promise.race([new Promise(go => held.push(go)), new Promise(go => setTimeout(go, 1500))]))
})

/* 4 — a blow by touch is in strike.js. What was refused is no longer said once something else is filled in. */
const strike = $('#strike')
for (const kind of ['input', 'change']) document.addEventListener(kind, event => {
  const form = event.target.form
  if (form?.matches('form[data-send]')) for (const one of $$('[data-refused]', form)) one.textContent = ''
})

/* 5 — dice: touch what fell; nothing is sent before it is touched or written to the end and the button pressed. */
document.addEventListener('click', event => {
  const key = event.target.closest?.('[data-face]')
  if (!key) return
  const form = key.closest('form')
  const dice = $$('input[name=face]', form)
  const next = dice.find(die => !die.value) || dice[dice.length - 1]
  next.value = key.dataset.face
  mark(form)
})
document.addEventListener('focusin', event => {
  if (event.target.name === 'face') event.target.select()
})
function mark(form) {
  const dice = $$('.die', form)
  for (const die of dice) die.removeAttribute('aria-current')
  dice.find(die => !$('input', die).value)?.setAttribute('aria-current', 'true')
}
for (const form of $$('form[data-dice]')) mark(form)

/* 6 — small helps. */
document.addEventListener('click', async event => {
  const button = event.target.closest?.('[data-copy]')
  if (!button) return
  const field = document.getElementById(button.dataset.copy)
  field.select()
  try { await navigator.clipboard.writeText(field.value) } catch { document.execCommand('copy') }
  button.textContent = button.dataset.done
})
document.addEventListener('click', event => {
  const link = event.target.closest?.('[data-goes-back]')
  if (link && history.length > 1 && document.referrer !== '') { event.preventDefault(); history.back() }
})
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const writing = event.target.matches?.('input:not([type=radio]):not([type=checkbox]), select, textarea')
  if (event.key === 'Escape') {
    const up = $('.top a.first')
    if (up) up.click()
  } else if (writing) {
    if (event.key === 'Enter' && event.target.id === 'text') { event.preventDefault(); strike.requestSubmit() }
  } else if (event.key === '/' && $('#text, #line-in')) {
    event.preventDefault()
    $('#text, #line-in').focus()
  } else if (/^[1-9]$/.test(event.key) && strike) {
    $(`input[name=damage][value="${event.key}"]`)?.click()
  } else if (event.key === 'Enter' && strike && !event.target.closest?.('a, button, summary')) {
    event.preventDefault()
    strike.requestSubmit()
  } else if (event.key === 'u' && $('button[form=undo]')) {
    $('button[form=undo]').click()
  } else if (event.key === '?') {
    $('#last a[href*="/why/"]')?.click()
  }
})
const heading = $('[data-focus]')
if (heading && document.activeElement === body) heading.focus({preventScroll: true})

/* 7 — the wall: more than five turn by pages; what is urgent stays. */
if (body.classList.contains('wall')) {
  let page = 0
  const turn = step => {
    const all = $$('#wall .ent')
    const stay = all.filter(one => one.classList.contains('urgent')).slice(0, 4)
    const others = all.filter(one => !stay.includes(one))
    const room = 5 - stay.length
    const pages = Math.max(1, Math.ceil(others.length / room))
    page = (page + step) % pages
    for (const one of all) one.hidden = !(stay.includes(one) || Math.floor(others.indexOf(one) / room) === page)
  }
  setInterval(() => turn(1), 8000)
  document.addEventListener('htmx:after:swap', () => turn(0))
}
})()
