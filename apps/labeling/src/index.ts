export { type LabelingConfig, readLabelingConfig } from './config';
export { type LabelingOverrides } from './deps';
export { type Labeler, type Reducer } from './labeling/reducer';
export { startLabeling, type LabelingServer } from './server';
