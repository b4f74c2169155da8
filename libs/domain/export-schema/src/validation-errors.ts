import { columnsOf, unknownColumns } from './columns';
import { type Dataset, SPAN_MS_MAX } from './datasets';
import { type Compression, compressionsOf, type Format } from './formats';

/** Request fields that can contradict each other. Values have valid types; undefined means not sent. */
interface RequestedExport {
  readonly dataset: Dataset;
  readonly format: Format;
  readonly compression?: Compression | undefined;
  readonly tf?: string | undefined;
  readonly depth?: number | undefined;
  readonly columns?: readonly string[] | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

interface RequestFault {
  readonly field: 'compression' | 'tf' | 'depth' | 'columns' | 'from' | 'to';
  /** Sentence that follows the field's name. */
  readonly message: string;
  readonly type: string;
}

function compressionFaults({ format, compression }: RequestedExport): RequestFault[] {
  const known = compressionsOf(format);
  if (compression === undefined || known.includes(compression)) return [];
  return [{ field: 'compression', message: `must be one of ${known.join(', ')} for ${format}`, type: 'compression_of_format' }];
}

function ownFaults({ dataset, tf, depth }: RequestedExport): RequestFault[] {
  const onlyFor = (field: 'tf' | 'depth', owner: Dataset): RequestFault => ({
    field,
    message: `applies only to dataset ${owner}, not ${dataset}`,
    type: 'not_of_dataset',
  });
  return [
    ...(tf !== undefined && dataset !== 'candles' ? [onlyFor('tf', 'candles')] : []),
    ...(depth !== undefined && dataset !== 'book' ? [onlyFor('depth', 'book')] : []),
  ];
}

const NAME_LENGTH_MAX = 40;

function columnFaults({ dataset, format, depth, columns = [] }: RequestedExport): RequestFault[] {
  const choice = { dataset, format, depth };
  const unknown = [...new Set(unknownColumns(choice, columns))];
  if (unknown.length === 0) return [];
  const names = unknown.map((name) => JSON.stringify(name.slice(0, NAME_LENGTH_MAX))).join(', ');
  const known = columnsOf(choice).map(({ name }) => name);
  const are = unknown.length === 1 ? 'is not a column' : 'are not columns';
  const message = `has ${names}, which ${are} of ${dataset} in ${format}. Columns: ${known.join(', ')}`;
  return [{ field: 'columns', message, type: 'unknown_column' }];
}

function spanFaults({ fromMs, toMs }: RequestedExport): RequestFault[] {
  if (fromMs === undefined || toMs === undefined) return [];
  if (fromMs >= toMs) return [{ field: 'from', message: 'must be before to', type: 'window' }];
  if (toMs - fromMs <= SPAN_MS_MAX) return [];
  return [{ field: 'to', message: `must be at most ${SPAN_MS_MAX / 86_400_000} days after from`, type: 'window_too_long' }];
}

/** Returns every field that conflicts with the others, with the values that would be valid. */
export function exportFaults(request: RequestedExport): readonly RequestFault[] {
  return [...compressionFaults(request), ...ownFaults(request), ...columnFaults(request), ...spanFaults(request)];
}
