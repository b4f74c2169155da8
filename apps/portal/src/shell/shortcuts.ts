import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { PAGES, type Page } from '../pages';

const LETTER_MS = 1_200;

/** Null if the key is not a shortcut. */
export function actionOf(key: string, afterG: boolean): { readonly open: string } | 'palette' | 'help' | 'g' | null {
  const page = (Object.values(PAGES) as readonly Page[]).find((each) => each.key === key);
  if (afterG && page !== undefined) return { open: page.pattern };
  if (key === '/') return 'palette';
  if (key === '?') return 'help';
  return key === 'g' ? 'g' : null;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

export function useShortcuts(openDialog: (name: 'palette' | 'help') => void): void {
  const [, open] = useLocation();
  useEffect(() => {
    let gAtMs = -LETTER_MS;
    const pressed = (pressedKey: KeyboardEvent): void => {
      const { key, target, timeStamp } = pressedKey;
      if (pressedKey.ctrlKey || pressedKey.metaKey || pressedKey.altKey || isTyping(target)) return;
      const action = actionOf(key, timeStamp - gAtMs < LETTER_MS);
      gAtMs = action === 'g' ? timeStamp : -LETTER_MS;
      if (action === null || action === 'g') return;
      pressedKey.preventDefault();
      if (typeof action === 'string') openDialog(action);
      else open(action.open);
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [open, openDialog]);
}
