delete
from "album_artist"
where "albumId" in (?)
-- [111]
