import fc from 'fast-check';

/**
 * Run before each test file (jest.config.ts): a gate must not turn red by chance, so properties without a seed of their own
 * get a fixed one. `FC_SEED=random` looks further, `FC_SEED=n` replays.
 */
const wanted = process.env['FC_SEED'] ?? '20261130';
if (wanted !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(wanted) });
