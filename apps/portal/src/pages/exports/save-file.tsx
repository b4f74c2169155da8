import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import sheet from '../../theme/sheet.module.css';
import { problemWords } from '../../conditions/problem-words';
import { giveFile } from '../../controls/give-file';
import { openFile } from './open-file';
import { readFile } from './read-file';
import type { ExportFile } from './use-exports';

/** Files up to so many bytes are held in memory, so that their digest is checked before they are saved. */
const CHECKED_BYTES_MAX = 64_000_000;

/** Whether a file is too large for this page to check before it is saved. */
export const isTooLargeToCheck = ({ bytes }: ExportFile): boolean => bytes > CHECKED_BYTES_MAX;

/** Saves a file: checked here where it is small enough to hold, else by the browser's own download, which resumes by Range. */
export function SaveFile({ jobId, file }: { readonly jobId: string; readonly file: ExportFile }) {
  const [read, setRead] = useState(0);
  const save = useMutation({
    mutationFn: async () => giveFile(file.name, await readFile(file, (from) => openFile(jobId, file, from), setRead)),
  });
  if (isTooLargeToCheck(file))
    return (
      <>
        <a href={file.download_route} download={file.name} aria-label={`Save ${file.name}, not checked here`}>
          Save
        </a>{' '}
        <span className={sheet['soft']}>not checked here</span>
      </>
    );
  return (
    <>
      <button type="button" disabled={save.isPending} onClick={() => save.mutate()} aria-label={`Save ${file.name}`}>
        {save.isPending ? `${Math.floor((100 * read) / Math.max(1, file.bytes))} %` : 'Save'}
      </button>{' '}
      <span role="status" className={save.isError ? sheet['fault'] : sheet['soft']}>
        {save.isSuccess ? 'saved; its SHA-256 is right' : ''}
        {save.isError ? problemWords(save.error).detail : ''}
      </span>
    </>
  );
}
