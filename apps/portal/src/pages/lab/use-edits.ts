import type { NumberEdits } from '@market-state/labeler/policy-numbers';
import { useEffect, useState } from 'react';
import { useUrlState } from '../../service/url-state';
import { URL_EDITS } from './edits';

/** A browser takes a few hundred addresses a minute; a slider that is moved makes more values than that. */
const WRITE_AFTER_MS = 250;

/** The edits of the page: at once here, and in the address as soon as they rest. */
export function useEdits(): readonly [NumberEdits, (edits: NumberEdits) => void] {
  const [written, write] = useUrlState('set', URL_EDITS);
  const [edits, setEdits] = useState(written);
  const text = URL_EDITS.write(edits);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (new URLSearchParams(location.search).get('set') !== (text === '' ? null : text)) write(URL_EDITS.read(text) ?? {});
    }, WRITE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text, write]);
  return [edits, setEdits];
}
