const root = document.documentElement;
const sidebar = document.getElementById('sidebar');
const search = document.getElementById('search');
const found = document.getElementById('found');
const menu = document.getElementById('menu');
const items = [...sidebar.querySelectorAll('li[data-search]')];
const links = new Map([...sidebar.querySelectorAll('a')].map((link) => [link.hash.slice(1), link]));

root.classList.add('scripted');

// Search: every word must occur in the summary, path, name, topic or parameters of an operation.
function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  sidebar.classList.toggle('searching', words.length > 0);
  let hits = 0;
  for (const item of items) {
    const isHit = words.length > 0 && words.every((word) => item.dataset.search.includes(word));
    item.classList.toggle('hit', isHit);
    if (isHit) hits += 1;
  }
  for (const topic of sidebar.querySelectorAll('.topic, .group')) {
    const isHit = topic.querySelector('li.hit') !== null;
    topic.classList.toggle('hit', isHit);
    if (topic.matches('.topic') && words.length > 0) topic.open = isHit;
  }
  found.textContent = words.length === 0 ? '' : hits === 1 ? '1 result' : `${hits} results`;
  if (words.length === 0) markCurrent(current);
}

const visibleLinks = () => items.filter((item) => item.classList.contains('hit')).map((item) => item.firstElementChild);

search.addEventListener('input', filter);
search.addEventListener('keydown', (event) => {
  const [first] = visibleLinks();
  if (event.key === 'Escape') {
    search.value = '';
    filter();
  } else if (event.key === 'Enter' && first) {
    first.click();
  } else if (event.key === 'ArrowDown' && first) {
    event.preventDefault();
    first.focus();
  }
});

sidebar.addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const shown = visibleLinks();
  const at = shown.indexOf(document.activeElement);
  if (step === undefined || at === -1) return;
  event.preventDefault();
  (shown[at + step] ?? (step === -1 ? search : shown[at])).focus();
});

document.addEventListener('keydown', (event) => {
  const isTyping = /^(input|textarea|select)$/i.test(document.activeElement?.tagName ?? '');
  if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    showMenu(true);
    search.focus();
    search.select();
  } else if (event.key === 'Escape' && sidebar.classList.contains('open')) {
    showMenu(false);
    menu.focus();
  }
});

// On narrow screens the sidebar covers the page.
function showMenu(isOpen) {
  sidebar.classList.toggle('open', isOpen);
  menu.setAttribute('aria-expanded', String(isOpen));
}

menu.addEventListener('click', () => {
  const isOpen = !sidebar.classList.contains('open');
  showMenu(isOpen);
  if (isOpen) search.focus();
});
sidebar.addEventListener('click', (event) => {
  if (event.target.closest('a')) showMenu(false);
});

// The link of the operation that is being read.
let current;
/** The topic that was opened because it is being read, not by a click. */
let openedTopic;
function markCurrent(link) {
  current?.removeAttribute('aria-current');
  current = link;
  if (!link) return;
  link.setAttribute('aria-current', 'true');
  if (sidebar.classList.contains('searching')) return;
  const topic = link.closest('details');
  if (openedTopic !== topic) {
    openedTopic?.removeAttribute('open');
    openedTopic = topic?.open ? undefined : topic;
    openedTopic?.setAttribute('open', '');
  }
  const { top, bottom } = link.getBoundingClientRect();
  const frame = sidebar.getBoundingClientRect();
  const isHidden = top < frame.top + 70 || bottom > frame.bottom - 20;
  if (isHidden) sidebar.scrollTop += top - frame.top - frame.height / 2;
}

const visible = new Set();
const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) visible.add(target);
      else visible.delete(target);
    }
    const [first] = [...visible].sort((one, other) => one.offsetTop - other.offsetTop);
    if (first && links.has(first.id)) markCurrent(links.get(first.id));
  },
  { rootMargin: '-15% 0px -65% 0px' },
);
for (const section of document.querySelectorAll('.op[id], .intro[id]')) observer.observe(section);

// Samples: one language at a time, remembered for all operations.
const storageKey = 'idsync-language';
function chooseLanguage(language) {
  for (const panel of document.querySelectorAll('.panel[data-id]')) {
    const blocks = [...panel.querySelectorAll('pre')];
    const chosen = blocks.some((block) => block.dataset.language === language) ? language : blocks[0].dataset.language;
    for (const block of blocks) block.hidden = block.dataset.language !== chosen;
    for (const tab of panel.querySelectorAll('.tab')) {
      tab.setAttribute('aria-pressed', String(tab.dataset.language === chosen));
    }
  }
}

function stored() {
  try {
    return localStorage.getItem(storageKey) ?? 'curl';
  } catch {
    return 'curl';
  }
}

document.addEventListener('click', (event) => {
  const tab = event.target.closest('.tab');
  if (!tab) return;
  // The page keeps its place: panels above may change their height.
  const before = tab.getBoundingClientRect().top;
  chooseLanguage(tab.dataset.language);
  scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: 'instant' });
  try {
    localStorage.setItem(storageKey, tab.dataset.language);
  } catch {
    // Storage may be forbidden; the choice then lasts until the page is left.
  }
});
chooseLanguage(stored());

if (navigator.clipboard) {
  for (const panel of document.querySelectorAll('.panel')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      const block = [...panel.querySelectorAll('pre')].find(({ hidden }) => !hidden);
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 1_500);
    });
    panel.querySelector('.bar').append(button);
  }
}
