DROP TABLE judge_draw_items;
DROP TABLE judge_draws;
