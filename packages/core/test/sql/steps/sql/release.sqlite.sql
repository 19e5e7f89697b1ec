update "album" set "labelId" = null
where "id" in (?)
-- [112]
