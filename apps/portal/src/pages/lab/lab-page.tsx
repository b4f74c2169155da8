import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { LabView } from './lab-view';
import { sourceOf, withSource } from './lab-source';
import styles from './lab.module.css';
import { SourceChoice } from './source-choice';
import { useEdits } from './use-edits';

export default function LabPage() {
  const [params, setParams] = useSearchParams();
  const [edits, setEdits] = useEdits();
  const named = ['event', 'symbol', 'at'].map((name) => params.get(name) ?? '').join(' ');
  // The source is named by these three parameters, whatever else changes
  const source = useMemo(() => sourceOf(params), [named]);
  return (
    <>
      <div className={styles['bar']}>
        <h1>Your policy</h1>
        <span className={styles['soft']}>what would other numbers have made of the same quarter of an hour?</span>
      </div>
      <p className={styles['note']}>
        The labeler runs in this browser, on the recorded log, under numbers that you move. These labels are nobody's publication: they are
        of your policy, no better and no worse for it, and what the service has published stays as it is. They say how a label comes about,
        not what a market will do.
      </p>
      <SourceChoice source={source} onChoose={(next) => setParams((before) => withSource(before, next))} />
      <LabView key={named} source={source} edits={edits} onEdit={setEdits} />
    </>
  );
}
