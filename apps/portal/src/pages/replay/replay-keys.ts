import { useEffect, useEffectEvent } from 'react';

/** What a key does in a replay. */
export type ReplayAction = 'toggle' | { readonly packet: -1 | 1 } | { readonly seconds: -1 | 1 };

const ACTIONS: Readonly<Record<string, ReplayAction>> = {
  ' ': 'toggle',
  ArrowLeft: { seconds: -1 },
  ArrowRight: { seconds: 1 },
  '[': { packet: -1 },
  ']': { packet: 1 },
};

/** What of the focused elements needs a key itself: space presses buttons, arrows choose and scroll. The seek bar needs none. */
const TAKES: Readonly<Record<'toggle' | 'seconds' | 'packet', string>> = {
  toggle: 'button, a, summary, select, textarea, input:not([type="range"])',
  seconds: 'select, textarea, input:not([type="range"]), [tabindex="0"]',
  packet: 'select, textarea, input:not([type="range"])',
};

/** What a key does; null where it is another's. @param isTaken whether what has the focus is of a kind, as a selector */
export function replayAction(key: string, isTaken: (selector: string) => boolean): ReplayAction | null {
  const action = ACTIONS[key];
  if (action === undefined) return null;
  const kind = action === 'toggle' ? 'toggle' : 'seconds' in action ? 'seconds' : 'packet';
  return isTaken(TAKES[kind]) ? null : action;
}

/** Space plays and pauses, arrows move by a second, brackets by a packet. */
export function useReplayKeys(act: (action: ReplayAction) => void): void {
  const take = useEffectEvent(act);
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const { key, target, ctrlKey, metaKey, altKey } = event;
      if (ctrlKey || metaKey || altKey) return;
      const action = replayAction(key, (selector) => target instanceof Element && target.closest(selector) !== null);
      if (action === null) return;
      event.preventDefault();
      take(action);
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, []);
}
