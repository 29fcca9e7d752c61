/* gambeson: a blow by touch. Keys and words write the line, the line is what counts: a place that it names is lit. */
(() => {
'use strict'
const $ = (selector, root = document) => root.querySelector(selector)
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)]
const strike = $('#strike')
if (!strike) return
const text = $('#text'), button = $('.thumb .act'), heading = $('h1'), targets = $('.targets')
const KEPT = `strike-${document.body.dataset.table || ''}`
const chosen = name => [...strike.elements].filter(one => one.name === name && one.checked)
const places = () => $$('input[name=location]', strike)
const ask = () => strike.dispatchEvent(new CustomEvent('asked'))
const own = strike.elements[strike.dataset.by]
let lit = chosen('location')[0]?.value || '', written = '', assumed = ''

function said(key) { return key ? key.dataset.said || key.value : '' }

function compose() {
  const damage = said(chosen('damage')[0])
  const type = chosen('type')[0]?.dataset.said || ''
  const words = chosen('word').map(one => one.dataset.said)
  const before = strike.dataset.before ? [strike.dataset.before] : []
  text.value = [...before, strike.dataset.digits || damage, type, ...words].filter(Boolean).join(' ')
  written = ''
  label()
}

/* The button says the whole blow; without anybody to strike it asks for them. */
function label() {
  const whom = chosen('target').map(one => one.dataset.label)
  heading.textContent = whom.length ? strike.dataset.who.replace('…', whom.join(', ')) : button.dataset.say
  const call = text.value.trim()
  const aim = written || !call ? '' : places().find(one => one.value === (lit || assumed))?.dataset.label || ''
  const blow = whom.length ? [call, strike.dataset.anywhere ? '' : aim].filter(Boolean).join(', ') : button.dataset.whom
  const span = $('span', button)
  span.textContent = [button.dataset.say, blow].filter(Boolean).join(': ')
  span.classList.toggle('long', span.textContent.length > 24)
  for (const one of places()) one.parentElement.classList.toggle('assumed', !lit && one.value === assumed)
}

/* Light a place, or none. */
function light(place) {
  lit = place
  for (const one of places()) one.checked = one.value === place
}

function named(place) { return places().find(one => one.value === place)?.dataset.label || place }

/* Another place than the one that the line names: the line names it no longer. */
function unwrite() {
  if (!written) return
  const name = named(written)
  const at = text.value.toLowerCase().lastIndexOf(name.toLowerCase())
  if (at >= 0) text.value = `${text.value.slice(0, at)} ${text.value.slice(at + name.length)}`.replace(/\s+/g, ' ').trim()
  written = ''
}

for (const one of places()) one.addEventListener('click', () => {
  unwrite()
  if (lit === one.value) { light(''); ask() } else lit = one.value
  label()
})

/* My own figure strikes others, not itself, unless somebody says so. */
function striker() {
  if (!own || own.dataset.touched) return
  const mine = JSON.parse(own.dataset.own)
  const whom = chosen('target').map(one => one.value)
  own.value = mine.find(id => !whom.includes(id)) || ''
}
own?.addEventListener('change', () => { own.dataset.touched = '1' })

strike.addEventListener('change', event => {
  if (event.target.name === 'damage' && !$('[data-digit]', strike)) { strike.dataset.digits = said(event.target); compose() }
  if (event.target.name === 'type' || event.target.name === 'word') { strike.dataset.held = ''; compose() }
  label()
})
let before = chosen('target').length
targets?.addEventListener('change', () => {
  const now = chosen('target').length
  if (now && !before) {
    targets.open = false
    $('summary', targets).focus({preventScroll: true})
  }
  before = now
  $('.whom', targets).textContent = now ? targets.dataset.more : button.dataset.whom
  striker()
  label()
  ask()
})
strike.addEventListener('submit', event => {
  if (!chosen('target').length && targets) {
    event.preventDefault()
    event.stopPropagation()
    targets.open = true
    scrollTo(0, 0)
    $('input', targets)?.focus({preventScroll: true})
  } else remember()
})

/* What the line says is touched too. */
function reflect() {
  const words = text.value.toLowerCase().split(/[\s,]+/)
  if (written && !text.value.toLowerCase().includes(named(written).toLowerCase())) { light(''); written = '' }
  for (const box of $$('input[name=word]', strike)) {
    const names = box.dataset.said.toLowerCase().split(/\s+/)
    box.checked = names.every(word => words.includes(word))
  }
  const digits = words[0]
  for (const key of $$('input[name=damage]', strike)) key.checked = [key.value, said(key).toLowerCase()].includes(digits)
  strike.dataset.digits = /^\d+$/.test(digits) ? digits : ''
  label()
}
text.addEventListener('input', reflect)

for (const key of $$('input[name=damage]', strike)) {
  /* without "unknown" in the game the keys write numbers of several digits; what was there before is written over */
  key.addEventListener('click', () => {
    if (!$('[data-digit]', strike)) return
    strike.dataset.digits = strike.dataset.held = ((strike.dataset.held || '') + key.value).slice(0, 9)
    compose()
    ask()
  })
}
for (const key of $$('[data-digit], [data-part]', strike)) key.addEventListener('click', () => {
  const digits = strike.dataset.digits || ''
  if (key.dataset.part === 'x' && digits.length > 1) { strike.dataset.digits = strike.dataset.held = digits.slice(0, -1) }
  else if (key.dataset.part === 'x') { strike.dataset.digits = strike.dataset.held = strike.dataset.before = ''; for (const one of $$('input[name=damage], input[name=type], input[name=word]', strike)) one.checked = false }
  else if (key.dataset.part) { if (text.value.trim()) strike.dataset.before = `${text.value.trim()} +`; strike.dataset.digits = strike.dataset.held = ''; for (const one of $$('input[name=damage], input[name=type]', strike)) one.checked = false }
  else strike.dataset.digits = strike.dataset.held = `${strike.dataset.held || ''}0`.replace(/^0+/, '')
  compose()
  ask()
})

/* What the line was understood to say: a place in it is lit and wins over one that was touched. */
document.addEventListener('htmx:after:swap', event => {
  if (event.target?.id !== 'whatif' && event.detail?.ctx?.target?.id !== 'whatif') return
  const understood = $('#whatif [data-place]')?.dataset || {}
  const was = written
  written = understood.written !== undefined ? understood.place : ''
  assumed = understood.place || ''
  if (written) light(written)
  else if (was && lit === was) { light(''); ask() }
  strike.toggleAttribute('data-anywhere', understood.anywhere !== undefined)
  if (understood.anywhere !== undefined) strike.dataset.anywhere = '1'
  button.classList.toggle('warned', Boolean($('#whatif [data-no]')))
  if (again && !text.value.trim()) $('#whatif').append(again)
  label()
})

/* The last blow is at hand for one touch, unless it was taken back. */
function kept() { try { return JSON.parse(sessionStorage.getItem(KEPT)) } catch { return null } }

function remember() {
  const names = ['location', 'damage', 'type', 'word']
  const touched = $$('input:checked', strike).filter(one => names.includes(one.name)).map(one => [one.name, one.value])
  const blow = $('span', button).textContent.slice(button.dataset.say.length).replace(/^: /, '')
  const count = chosen('target').length, client = $('input[name=client]', strike).value
  const last = {text: text.value, said: blow, chosen: touched, client: count > 1 ? `${client}.${count - 1}` : client}
  try { sessionStorage.setItem(KEPT, JSON.stringify(last)) } catch { /* a private window keeps nothing */ }
}

const last = kept(), again = $('[data-again]')
if (again && last?.said && (strike.dataset.standing || '').split(' ').includes(last.client)) {
  again.textContent = again.dataset.again.replace('…', last.said)
  again.hidden = false
  again.addEventListener('click', () => {
    for (const [name, value] of last.chosen || []) {
      const input = $$(`input[name="${name}"]`, strike).find(one => one.value === value)
      if (input) input.checked = true
    }
    lit = chosen('location')[0]?.value || ''
    text.value = last.text || ''
    reflect()
    ask()
    button.focus({preventScroll: true})
  })
}

for (const one of $$('details.rest', strike)) one.addEventListener('toggle', () => { if (one.open) { one.style.scrollMarginTop = '64px'; one.scrollIntoView({block: 'start'}) } })
label()
addEventListener('load', () => { if (text.value) ask() })
})()
