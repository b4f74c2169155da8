import { whole } from '../../market/numbers';
import { Loaded } from '../../status-components/conditions';
import { Table, Hidden } from '../../controls/table';
import { counted } from '@market-state/packet-figures';
import { CopyButton } from '../../controls/buttons';
import records from '../../controls/records.module.css';
import { zoned, clockSpanBelow } from '../../time/clock';
import { sizeWords } from './job-labels';
import { type ExportFile, useFiles, readJobFile } from './use-exports';
import sheet from '../../theme/sheet.module.css';
import styles from './exports.module.css';
import { giveFile } from '../../controls/give-file';
import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { problemWords } from '../../status-components/error-messages';

/** Smaller files are loaded whole, so that their digest is checked before they are saved. */
const CHECKED_BYTES_MAX = 64_000_000;

const isTooLargeToCheck = ({ bytes }: ExportFile): boolean => bytes > CHECKED_BYTES_MAX;

/** Larger files use the browser's own download, which resumes with Range requests. */
function SaveFile({ jobId, file }: { readonly jobId: string; readonly file: ExportFile }) {
  const [read, setRead] = useState(0);
  const save = useMutation({
    mutationFn: async () => giveFile(file.name, await readJobFile(jobId, file, setRead)),
  });
  if (isTooLargeToCheck(file))
    return (
      <>
        <a href={file.download_route} download={file.name} aria-label={`Save ${file.name}, not checked in this page`}>
          Save
        </a>{' '}
        <span className={sheet['soft']}>not checked in this page</span>
      </>
    );
  return (
    <>
      <button type="button" disabled={save.isPending} onClick={() => save.mutate()} aria-label={`Save ${file.name}`}>
        {save.isPending ? `${Math.floor((100 * read) / Math.max(1, file.bytes))} %` : 'Save'}
      </button>{' '}
      <SaveStatus save={save} done="saved; SHA-256 verified" />
    </>
  );
}

function SaveStatus({
  save: { isSuccess, error },
  done,
}: {
  readonly save: Pick<UseMutationResult, 'isSuccess' | 'error'>;
  readonly done: string;
}) {
  return (
    <span role="status" className={error === null ? sheet['soft'] : sheet['fault']}>
      {isSuccess ? done : ''}
      {error === null ? '' : problemWords(error).detail}
    </span>
  );
}

export function JobFiles({ jobId }: { readonly jobId: string }) {
  const files = useFiles(jobId);
  return (
    <section aria-label="Files" className={styles['part']}>
      <h3>
        Files <span className={sheet['soft']}>free to download any number of times</span>
      </h3>
      <Loaded query={files} rows={6} label="Loading files">
        {(data) => (
          <>
            <SaveAll jobId={jobId} files={data.files} />
            <FileTable jobId={jobId} files={data.files} />
            <CheckLarge files={data.files.filter(isTooLargeToCheck)} />
            <p className={sheet['soft']}>
              {data.checkable
                ? 'To check each row against the service, run npx market-state verify-export <folder>.'
                : 'Rows cannot be checked individually against the service, because the columns needed for that were not exported.'}{' '}
              All digests are in SHA256SUMS: <code>sha256sum -c SHA256SUMS</code>.
            </p>
          </>
        )}
      </Loaded>
    </section>
  );
}

/** Skips the listed files that were not saved. */
const CHECK_COMMAND = 'sha256sum --check --ignore-missing SHA256SUMS';

function CheckLarge({ files }: { readonly files: readonly ExportFile[] }) {
  if (files.length === 0) return null;
  return (
    <p className={sheet['actions']}>
      <span>
        {counted(files.length, 'file')} over 64 MB: your browser saves {files.length === 1 ? 'it' : 'them'} without a check by this page.
        Save SHA256SUMS into the same folder and run <code>{CHECK_COMMAND}</code> there; on macOS, use <code>shasum -a 256</code> instead of
        sha256sum. OK next to a name means that the file is intact.
      </span>
      <CopyButton text={CHECK_COMMAND} label="Copy command" />
    </p>
  );
}

/** Saves one file after the other, each checked against its digest; larger ones have links of their own. */
function SaveAll({ jobId, files }: { readonly jobId: string; readonly files: readonly ExportFile[] }) {
  const [saved, setSaved] = useState(0);
  const small = files.filter((file) => !isTooLargeToCheck(file));
  const save = useMutation({
    async mutationFn() {
      setSaved(0);
      for (const file of small) {
        giveFile(file.name, await readJobFile(jobId, file));
        setSaved((before) => before + 1);
      }
    },
  });
  if (small.length < 2) return null;
  return (
    <p className={sheet['actions']}>
      <button type="button" disabled={save.isPending} onClick={() => save.mutate()}>
        {save.isPending
          ? `${saved} of ${counted(small.length, 'file')} saved`
          : `Download all ${small.length} files, ${sizeWords(small.reduce((total, { bytes }) => total + bytes, 0))}`}
      </button>
      <SaveStatus save={save} done={`${counted(saved, 'file')} saved; SHA-256 verified`} />
    </p>
  );
}

function FileTable({ jobId, files }: { readonly jobId: string; readonly files: readonly ExportFile[] }) {
  return (
    <Table
      className={records['table']}
      caption="Files of this job"
      rows={files}
      keyOf={(file) => file.name}
      columns={[
        { head: 'File', cell: (file) => file.name },
        { head: 'Rows', cell: (file) => (file.rows === null ? 'none' : whole(file.rows)), className: records['number'] },
        {
          head: zoned('First to last row'),
          cell: (file) =>
            file.first_time_utc === null || file.last_time_utc === null
              ? 'explains or checks the data'
              : clockSpanBelow(file.first_time_utc, file.last_time_utc),
        },
        { head: 'Size', cell: (file) => sizeWords(file.bytes), className: records['number'] },
        {
          head: 'SHA-256',
          cell: (file) => (
            <span className={styles['digest']}>
              <code title={file.sha256}>
                {file.sha256.slice(0, 12)}…{file.sha256.slice(-4)}
              </code>
              <CopyButton text={file.sha256} label="Copy" />
            </span>
          ),
        },
        { head: <Hidden>Save</Hidden>, cell: (file) => <SaveFile jobId={jobId} file={file} />, className: records['acts'] },
      ]}
    />
  );
}
