import { useEffect } from './use-effect.ts';
import { useState } from './use-state.ts';

const STORED = 'assay-theme';
const isSystemDark = (): boolean => matchMedia('(prefers-color-scheme: dark)').matches;

/** Switches between light and dark; the system's setting by default. */
export const ThemeButton = () => {
  const [chosen, setChosen] = useState<string | null>(localStorage.getItem(STORED));
  useEffect(() => {
    document.documentElement.style.colorScheme = chosen ?? '';
    if (chosen === null) localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, chosen);
  }, [chosen]);
  const isDark = chosen === null ? isSystemDark() : chosen === 'dark';
  return (
    <button
      type="button"
      class="button quiet small icon"
      aria-label={isDark ? 'Use light colours' : 'Use dark colours'}
      onClick={() => setChosen(isDark ? 'light' : 'dark')}
    >
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="10" cy="10" r="7.2" fill="none" stroke="currentColor" stroke-width="1.600" />
        <path d="M10 2.800a7.200 7.200 0 0 1 0 14.400z" fill="currentColor" />
      </svg>
    </button>
  );
};
