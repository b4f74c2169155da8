import { counted, words } from '@market-state/packet-figures';
import { AnswerSection } from '../../conditions/answer-section';
import { Empty } from '../../conditions/placeholder';
import sheet from '../../theme/sheet.module.css';
import { clockBelow, zoned } from '../../time/clock';
import { type Accuracy, accuracySentence, leftOutWords, sumByMeasure } from './record';
import styles from './status.module.css';
import { useAccuracy } from './use-status';

/** What was recorded, held against what its venue says itself: how much was compared, and what differed. */
export function VenueAudit() {
  return (
    <section className={sheet['panel']} aria-label="Held against the venue">
      <AnswerSection
        title="Held against the venue, every ten minutes"
        query={useAccuracy()}
        checkedUtc={({ as_of_utc: at }) => at}
        show={(answer) =>
          answer.rows.length === 0 ? (
            <Empty why="Nothing was compared yet: the first comparison is made three minutes after the start of the feed." />
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
        {answer.open_difference_total === 0 ? 'nothing differs now' : `${counted(answer.open_difference_total, 'measure')} differ now`}
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
          <th scope="col">What</th>
          <th scope="col">Against</th>
          <th scope="col" className={sheet['number']}>
            Values compared
          </th>
          <th scope="col" className={sheet['number']}>
            Differ
          </th>
          <th scope="col">Not compared</th>
          <th scope="col">{zoned('Last')}</th>
        </tr>
      </thead>
      <tbody>
        {sumByMeasure(answer.rows).map((each) => (
          <tr key={`${each.symbol} ${each.measure}`}>
            <th scope="row">{each.symbol}</th>
            <td data-column="what">{words(each.measure)}</td>
            <td data-column="against">{each.compared_with === 'venue' ? 'the venue’s answers' : 'the recording’s best prices'}</td>
            <td data-column="values compared" className={sheet['number']}>
              {each.comparedTotal.toLocaleString('en-US')}
            </td>
            <td data-column="differ" className={sheet['number']}>
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
          <th scope="col">What differed</th>
          <th scope="col">{zoned('From')}</th>
          <th scope="col">{zoned('To')}</th>
          <th scope="col">Largest difference</th>
          <th scope="col">{zoned('Equal again')}</th>
        </tr>
      </thead>
      <tbody>
        {differences.map(({ difference_id: id, largest_difference: largest, ...difference }) => (
          <tr key={id}>
            <th scope="row">{difference.symbol}</th>
            <td data-column="what differed">
              {words(difference.measure)}, {counted(difference.differing_total, 'value')}
            </td>
            <td data-column={zoned('from')}>{clockBelow(Date.parse(difference.first_differing_utc))}</td>
            <td data-column={zoned('to')}>{clockBelow(Date.parse(difference.last_differing_utc))}</td>
            <td data-column="largest difference">
              {words(largest.field)} {largest.recorded_value} here, {largest.venue_value} there
            </td>
            <td data-column={zoned('equal again')}>
              {difference.closed_utc === null ? 'not so far' : clockBelow(Date.parse(difference.closed_utc))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
