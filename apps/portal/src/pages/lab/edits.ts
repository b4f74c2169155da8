import type { NumberEdits } from '@market-state/labeler/policy-numbers';
import type { UrlValue } from '../../service/url-state';

/** Edits as they stand in an address: `thresholds.pressure.watch:0.2,dwell.packets:1`. */
export const URL_EDITS: UrlValue<NumberEdits> = {
  usual: {},
  read: (text) => {
    const edits = text.split(',').flatMap((each) => {
      const [, path, value] = /^([\w.]+):(.*)$/.exec(each) ?? [];
      return path === undefined || value === undefined ? [] : [[path, decoded(value)] as const];
    });
    return Object.fromEntries(edits);
  },
  write: (edits) =>
    Object.entries(edits)
      .map(([path, text]) => `${path}:${encodeURIComponent(text)}`)
      .join(','),
};

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The edits without that of one number. */
export function withoutEdit(edits: NumberEdits, path: string): NumberEdits {
  return Object.fromEntries(Object.entries(edits).filter(([name]) => name !== path));
}

/** The edits with another value of one number; its published value is no edit. */
export function withEdit(edits: NumberEdits, path: string, text: string, published: number | boolean | undefined): NumberEdits {
  return text === String(published) ? withoutEdit(edits, path) : { ...edits, [path]: text };
}
