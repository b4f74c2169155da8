import type { LineOutput } from '../io/line-output';
import { tableLine } from '../io/table';
import { cellText, csvLine, flattened, picked, type Row } from './cells';
import type { Format } from './settings';

/** Writes one object: a member a line in a table, one row of CSV, else JSON. */
export async function writeObject(output: LineOutput, row: Row, format: Format, fields: readonly string[] | undefined): Promise<void> {
  const shown = fields === undefined ? row : picked(row, fields);
  const members = fields === undefined ? flattened(row) : Object.entries(shown);
  switch (format) {
    case 'json':
      return void (await output.write(JSON.stringify(shown, null, 2)));
    case 'ndjson':
      return void (await output.write(JSON.stringify(shown)));
    case 'csv':
      return void (await output.write(csvLine(members.map(([path]) => path)), csvLine(members.map(([, value]) => value))));
    case 'table': {
      const width = Math.max(0, ...members.map(([path]) => path.length));
      const columns = [
        { title: '', width },
        { title: '', width: 0 },
      ];
      return void (await output.write(...members.map(([path, value]) => tableLine(columns, [path, cellText(value)]))));
    }
  }
}
