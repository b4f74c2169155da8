import { useRef } from 'react';
import { useLocation } from 'wouter';
import { isTyping, useKeys } from '../controls/keys';
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

export function useShortcuts(openDialog: (name: 'palette' | 'help') => void): void {
  const [, open] = useLocation();
  const gAtMs = useRef(-LETTER_MS);
  useKeys((pressed) => {
    const { key, target, timeStamp } = pressed;
    if (isTyping(target)) return;
    const action = actionOf(key, timeStamp - gAtMs.current < LETTER_MS);
    gAtMs.current = action === 'g' ? timeStamp : -LETTER_MS;
    if (action === null || action === 'g') return;
    pressed.preventDefault();
    if (typeof action === 'string') openDialog(action);
    else open(action.open);
  });
}
