import { definePresenter } from '../../../../../src/api/presenter.ts';
import { square } from '../../contracts/test/square.ts';

export default definePresenter(square, ({ output }) => ({ square: output?.product ?? null }));
