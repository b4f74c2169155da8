import { counted, words } from '@market-state/packet-figures';
import { AnswerSection } from '../../status-components/answer-section';
import { Empty } from '../../status-components/placeholder';
import sheet from '../../theme/sheet.module.css';
import { clockBelow, zoned } from '../../time/clock';
import { type Accuracy, accuracySentence, leftOutWords, sumByMeasure } from './record';
import styles from './status.module.css';
import { useAccuracy } from './use-status';

export function VenueAudit() {
  return (
    <section className={sheet['panel']} aria-label="Compared with the venue">
      <AnswerSection
        title="Compared with the venue, every ten minutes"
        query={useAccuracy()}
        checkedUtc={({ as_of_utc: at }) => at}
        show={(answer) =>
          answer.rows.length === 0 ? (
            <Empty why="No comparisons yet. The first runs three minutes after the feed starts." />
          ) : (
            <Found answer={answer} />
          )
        }
      />
    </section>
  );
}

function Found({ answer }: { readonly answer: Accuracy }) {
  return (
    <>
      <p className={styles['soft']}>
        {accuracySentence(answer.rows)}, over the last 31 days;{' '}
        {answer.open_difference_total === 0 ? 'no current differences' : counted(answer.open_difference_total, 'current difference')}
      </p>
      <MeasureTable answer={answer} />
      {answer.differences.length === 0 ? null : <DifferenceTable differences={answer.differences} />}
    </>
  );
}

function MeasureTable({ answer }: { readonly answer: Accuracy }) {
  return (
    <table className={sheet['cards']}>
      <thead>
        <tr>
          <th scope="col">Symbol</th>
          <th scope="col">Measure</th>
          <th scope="col">Compared with</th>
          <th scope="col" className={sheet['number']}>
            Values compared
          </th>
          <th scope="col" className={sheet['number']}>
            Different
          </th>
          <th scope="col">Not compared</th>
          <th scope="col">{zoned('Last')}</th>
        </tr>
      </thead>
      <tbody>
        {sumByMeasure(answer.rows).map((each) => (
          <tr key={`${each.symbol} ${each.measure}`}>
            <th scope="row">{each.symbol}</th>
            <td data-column="measure">{words(each.measure)}</td>
            <td data-column="compared with">{each.compared_with === 'venue' ? 'the venue’s API' : 'the recording’s best prices'}</td>
            <td data-column="values compared" className={sheet['number']}>
              {each.comparedTotal.toLocaleString('en-US')}
            </td>
            <td data-column="different" className={sheet['number']}>
              {each.differingTotal.toLocaleString('en-US')}
            </td>
            <td data-column="not compared">{leftOutWords(each)}</td>
            <td data-column={zoned('last')}>{clockBelow(Date.parse(each.lastRunUtc))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function DifferenceTable({ differences }: { readonly differences: Accuracy['differences'] }) {
  return (
    <table className={sheet['cards']}>
      <thead>
        <tr>
          <th scope="col">Symbol</th>
          <th scope="col">Measure</th>
          <th scope="col">{zoned('From')}</th>
          <th scope="col">{zoned('To')}</th>
          <th scope="col">Largest difference</th>
          <th scope="col">{zoned('Resolved')}</th>
        </tr>
      </thead>
      <tbody>
        {differences.map(({ difference_id: id, largest_difference: largest, ...difference }) => (
          <tr key={id}>
            <th scope="row">{difference.symbol}</th>
            <td data-column="measure">
              {words(difference.measure)}, {counted(difference.differing_total, 'value')}
            </td>
            <td data-column={zoned('from')}>{clockBelow(Date.parse(difference.first_differing_utc))}</td>
            <td data-column={zoned('to')}>{clockBelow(Date.parse(difference.last_differing_utc))}</td>
            <td data-column="largest difference">
              {words(largest.field)} {largest.recorded_value} recorded, {largest.venue_value} at the venue
            </td>
            <td data-column={zoned('resolved')}>
              {difference.closed_utc === null ? 'not yet' : clockBelow(Date.parse(difference.closed_utc))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
