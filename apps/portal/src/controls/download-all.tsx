import { counted } from '@market-state/packet-figures';
import { useMutation } from '@tanstack/react-query';
import { ProblemNotice } from '../status-components/conditions';
import sheet from '../theme/sheet.module.css';
import { giveFile } from './give-file';

interface DownloadAllProps {
  /** Without extension. */
  readonly name: string;
  /** Reads the list to its end. */
  readonly readAll: () => Promise<readonly object[]>;
}

/** Saves a whole list, beyond what the page shows, as NDJSON. */
export function DownloadAll({ name, readAll }: DownloadAllProps) {
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: async () => {
      const rows = await readAll();
      giveFile(`${name}.ndjson`, new Blob([toNdjson(rows)], { type: 'application/x-ndjson' }));
      return rows.length;
    },
  });
  return (
    <>
      <button type="button" disabled={isPending} onClick={() => mutate()}>
        {isPending ? 'Loading…' : 'Download all'}
      </button>
      <span role="status" className={sheet['soft']}>
        {data === undefined ? '' : `${counted(data, 'row')} saved`}
      </span>
      <ProblemNotice error={error} retry={() => mutate()} />
    </>
  );
}

function toNdjson(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

interface MoreRowsProps extends DownloadAllProps {
  readonly list: { readonly hasNextPage: boolean; readonly isFetchingNextPage: boolean; readonly fetchNextPage: () => Promise<unknown> };
  readonly className: string;
  readonly action: string;
  /** Cost of the download. */
  readonly cost?: string;
}

/** Below a list: its next page, and all of it as a file. */
export function MoreRows({ list, className, action, cost, ...download }: MoreRowsProps) {
  return (
    <p className={className}>
      {list.hasNextPage ? (
        <button type="button" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {action}
        </button>
      ) : null}
      <DownloadAll {...download} /> {cost}
    </p>
  );
}
