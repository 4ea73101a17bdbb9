DROP TABLE export_chunks, exports;
