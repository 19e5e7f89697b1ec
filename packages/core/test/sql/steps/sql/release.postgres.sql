update "album" set "labelId" = null
where "id" in ($1::bigint)
-- [112]
