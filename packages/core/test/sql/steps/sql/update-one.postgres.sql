update "album" set "title" = $1, "facts" = $2::text::json
where "id" = $3::bigint
-- ["New",null,111]
