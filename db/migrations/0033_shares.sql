-- Of the FLOPs of a phase, those that repeat a result that was there before. Until here a backward of attention that keeps
-- no scores had them among its FLOPs in the workloads of attention alone, and the language model left them out.
ALTER TABLE phase_work ADD COLUMN recomputed_flops REAL NOT NULL DEFAULT 0;

-- Attention alone: 2.5 times the forward's FLOPs, of which 0.5 are computed again.
UPDATE phase_work SET recomputed_flops = again.flops
FROM (SELECT w.attempt, w.flops / 5 AS flops
      FROM phase_work w JOIN attempt a ON a.row = w.attempt
      JOIN figure f ON f.trial = a.trial AND f.value = 2.5 AND
                       f.name = (SELECT id FROM name WHERE text = 'backward_flops_factor')
      WHERE w.phase = (SELECT id FROM name WHERE text = 'backward')) AS again
WHERE phase_work.attempt = again.attempt AND phase IN (SELECT id FROM name WHERE text IN ('backward', 'step'));

-- The language model on every rank: attention is one kernel where its two products of each layer are not counted.
UPDATE phase_work SET flops = phase_work.flops + again.flops, recomputed_flops = again.flops
FROM (SELECT w.attempt, m.value / 2 * max(1, (SELECT count(*) FROM attempt_device d WHERE d.attempt = w.attempt)) AS flops
      FROM phase_work w JOIN attempt a ON a.row = w.attempt
      JOIN figure m ON m.trial = a.trial AND m.name = (SELECT id FROM name WHERE text = 'attention_matmul_flops')
      JOIN figure k ON k.trial = a.trial AND k.name = (SELECT id FROM name WHERE text = 'matmuls_forward')
      JOIN figure l ON l.trial = a.trial AND l.name = (SELECT id FROM name WHERE text = 'layers')
      WHERE w.phase = (SELECT id FROM name WHERE text = 'backward') AND k.value IN (7 * l.value + 1, 4 * l.value + 1)
     ) AS again
WHERE phase_work.attempt = again.attempt AND phase IN (SELECT id FROM name WHERE text IN ('backward', 'step'));

-- Softmax's share was that of whole ranges, in which scaling, the mask and copies counted as products.
UPDATE fact SET number = coalesce(
  (SELECT sum(iif(c.text = 'softmax', k.total_ns, 0)) / sum(k.total_ns)
   FROM kernel k JOIN name c ON c.id = k.class JOIN name r ON r.id = k.range JOIN name p ON p.id = k.phase
   WHERE k.attempt = fact.attempt AND k.rank = fact.rank AND
         p.text = iif(fact.name = (SELECT id FROM name WHERE text = 'profile.softmax_share'), 'forward', 'backward') AND
         ((c.text = 'softmax' AND r.text = 'attention.softmax') OR
          (c.text = 'matmul' AND r.text IN ('attention.scores', 'attention.output')))), number)
WHERE name IN (SELECT id FROM name WHERE text IN ('profile.softmax_share', 'profile.softmax_share_backward'));

-- What a reader should know of a published figure and is not wrong with it.
ALTER TABLE reference_doubt ADD COLUMN is_remark INTEGER NOT NULL DEFAULT 0 CHECK (is_remark IN (0, 1));
