import { useEffect, useEffectEvent } from 'react';
import { useIsSample } from '../service/sampled';

/** Keys pressed anywhere on the document, without Ctrl, Meta or Alt. */
export function useKeys(act: (event: KeyboardEvent) => void, isOn = true): void {
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
