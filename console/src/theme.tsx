import { useState } from 'react';

const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

const storageKey = 'quarry.theme';

function readTheme(): Theme {
  const kept = localStorage.getItem(storageKey);
  return themes.find((theme) => theme === kept) ?? 'system';
}

/** Before the first drawing, or the page would flash. */
export function applyTheme(theme = readTheme()): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function ThemeChoice() {
  const [theme, setTheme] = useState(readTheme);
  return (
    <label className="theme">
      <span>Theme</span>
      <select
        value={theme}
        onChange={(event) => {
          const chosen = themes.find((name) => name === event.target.value) ?? 'system';
          localStorage.setItem(storageKey, chosen);
          applyTheme(chosen);
          setTheme(chosen);
        }}
      >
        {themes.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}
