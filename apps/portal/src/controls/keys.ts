import { useEffect, useEffectEvent, useRef } from 'react';
import { useIsSample } from '../service/sampled';
import { useLocation } from 'wouter';
import { PAGES, type Page } from '../pages';

/** Keys pressed anywhere on the document, without Ctrl, Meta or Alt. */
function useKeys(act: (event: KeyboardEvent) => void, isOn = true): void {
  const take = useEffectEvent(act);
  useEffect(() => {
    if (!isOn) return undefined;
    const pressed = (event: KeyboardEvent): void => {
      if (!event.ctrlKey && !event.metaKey && !event.altKey) take(event);
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [isOn]);
}

/** Keys of one page. A sample ignores them: its links lead to packets that the service doesn't have. */
export function usePageKeys(act: (event: KeyboardEvent) => void): void {
  useKeys(act, !useIsSample());
}

export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

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
