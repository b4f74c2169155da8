import { counted } from '@market-state/packet-figures';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Outline } from '../../conditions/placeholder';
import { ProblemNotice } from '../../conditions/problem-notice';
import { CopyButton } from '../../controls/copy-button';
import records from '../../controls/records.module.css';
import sheet from '../../theme/sheet.module.css';
import { clockSpanBelow, zoned } from '../../time/clock';
import styles from './exports.module.css';
import { sizeWords } from './job-words';
import { type ExportFile, useFiles, openFile } from './use-exports';
import { problemWords } from '../../conditions/problem-words';
import { giveFile } from '../../controls/give-file';
import { readFile } from './read-file';

/** Files up to so many bytes are held in memory, so that their digest is checked before they are saved. */
const CHECKED_BYTES_MAX = 64_000_000;

/** Whether a file is too large for this page to check before it is saved. */
const isTooLargeToCheck = ({ bytes }: ExportFile): boolean => bytes > CHECKED_BYTES_MAX;

/** Saves a file: checked here where it is small enough to hold, else by the browser's own download, which resumes by Range. */
function SaveFile({ jobId, file }: { readonly jobId: string; readonly file: ExportFile }) {
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

/** The files of a job that is ready: data by symbol and day, then what explains and checks them. */
export function JobFiles({ jobId }: { readonly jobId: string }) {
  const { data, error, refetch } = useFiles(jobId);
  return (
    <section aria-label="Files" className={styles['part']}>
      <h3>
        Files <span className={sheet['soft']}>free to download, as often as you like</span>
      </h3>
      {error === null ? null : <ProblemNotice error={error} retry={() => void refetch()} />}
      {data === undefined ? (
        error === null ? (
          <Outline rows={6} label="Loading the files" />
        ) : null
      ) : (
        <FileTable jobId={jobId} files={data.files} />
      )}
      {data === undefined ? null : <CheckLarge files={data.files.filter(isTooLargeToCheck)} />}
      {data === undefined ? null : (
        <p className={sheet['soft']}>
          {data.checkable
            ? 'Each row can be checked against the service: npx market-state verify-export <folder>.'
            : 'Rows cannot be checked one by one against the service: columns that this takes were left out.'}{' '}
          Every digest is in SHA256SUMS: <code>sha256sum -c SHA256SUMS</code>.
        </p>
      )}
    </section>
  );
}

/** Checks the files of a folder that are named in it, and passes over those that were not saved. */
const CHECK_COMMAND = 'sha256sum --check --ignore-missing SHA256SUMS';

/** How to check what is too large for this page to hold. */
function CheckLarge({ files }: { readonly files: readonly ExportFile[] }) {
  if (files.length === 0) return null;
  return (
    <p className={sheet['actions']}>
      <span>
        {counted(files.length, 'file')} of more than 64 MB: your browser saves {files.length === 1 ? 'it' : 'them'} without a check by this
        page. Save SHA256SUMS into the same folder and run there <code>{CHECK_COMMAND}</code>; on macOS <code>shasum -a 256</code> takes the
        place of sha256sum. An OK beside each name means that no byte was lost or changed.
      </span>
      <CopyButton text={CHECK_COMMAND} label="Copy the command" />
    </p>
  );
}

function FileTable({ jobId, files }: { readonly jobId: string; readonly files: readonly ExportFile[] }) {
  return (
    <table className={records['table']}>
      <caption className="visually-hidden">Files of the job</caption>
      <thead>
        <tr>
          <th scope="col">File</th>
          <th scope="col" className={records['number']}>
            Rows
          </th>
          <th scope="col">{zoned('First to last row')}</th>
          <th scope="col" className={records['number']}>
            Size
          </th>
          <th scope="col">SHA-256</th>
          <th scope="col">
            <span className="visually-hidden">Save</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {files.map((file) => (
          <tr key={file.name}>
            <th scope="row">{file.name}</th>
            <td data-column="Rows" className={records['number']}>
              {file.rows === null ? 'none' : file.rows.toLocaleString('en-US')}
            </td>
            <td data-column={zoned('First to last row')}>
              {file.first_time_utc === null || file.last_time_utc === null
                ? 'explains or checks the data'
                : clockSpanBelow(Date.parse(file.first_time_utc), Date.parse(file.last_time_utc))}
            </td>
            <td data-column="Size" className={records['number']}>
              {sizeWords(file.bytes)}
            </td>
            <td data-column="SHA-256">
              <span className={styles['digest']}>
                <code title={file.sha256}>
                  {file.sha256.slice(0, 12)}…{file.sha256.slice(-4)}
                </code>
                <CopyButton text={file.sha256} label="Copy it" />
              </span>
            </td>
            <td className={records['acts']}>
              <SaveFile jobId={jobId} file={file} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
