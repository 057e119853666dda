/** Applies `?theme=light` or `?theme=dark`, so that a frame looks like the page around it. */
export function applyTheme(): void {
  const theme = new URLSearchParams(location.search).get('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.setAttribute('data-theme', theme);
}
